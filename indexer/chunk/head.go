package chunk

import (
	"bytes"
	"regexp"
	"slices"

	"ambit/vectors/record"
)

// importWords start the lines of imports and package clauses.
var importWords = regexp.MustCompile(`^(?:import|from|use|using|require|require_relative|require_once|include|#[ \t]*include|#[ \t]*pragma|package|extern crate|load|open|alias|<\?php|#!|["']use strict)(?:\b|$|["';<])`)

// headWords are in comments at the start of files that say nothing about the code: licences
// and remarks for tools.
var headWords = regexp.MustCompile(`(?i)\b(?:copyright|licen[cs]ed?|all rights reserved|frozen_string_literal|eslint|clang-format)\b|^#!|-\*-|@ts-`)

// headMarks are in each text in which headWords can be, in lower case.
var headMarks = [][]byte{[]byte("copyright"), []byte("licen"), []byte("all rights"), []byte("frozen_string"), []byte("eslint"), []byte("clang-format"), []byte("#!"), []byte("-*-"), []byte("@ts-")}

// isHead reports whether a comment says nothing about the code. Comments about a
// class can be long, and the regular expression is slow on what it does not match.
func isHead(comment []byte) bool {
	lower := bytes.ToLower(comment)
	return slices.ContainsFunc(headMarks, func(mark []byte) bool { return bytes.Contains(lower, mark) }) && headWords.Match(comment)
}

// headEnd returns the offset behind the licence, the package clause and the imports at the
// start of the file, and 0 when there is nothing else. Comments about the file are behind it.
func (s *splitter) headEnd() int {
	r := s.rows
	remarks := s.remarksOf()
	for i := 0; i < r.n(); {
		end := i + 1
		switch {
		case r.blank(i):
		case remarks[i] != remarkNone:
			for end < r.n() && remarks[end] != remarkNone && remarks[end] != remarkFirst {
				end++
			}
			if !isHead(s.o.Content[r.starts[i]:r.starts[end]]) {
				return int(r.starts[i])
			}
		case importWords.Match(r.row(i)):
			end = s.balanced(i)
		default:
			return int(r.starts[i])
		}
		i = end
	}
	return 0
}

// isImports reports whether text holds imports, package clauses and comments only.
func (s *splitter) isImports(span record.Span) bool {
	found, remarks := false, s.remarksOf()
	for i := s.rows.at(span.Start); i < s.rows.at(span.End-1)+1; {
		switch {
		case s.rows.blank(i) || remarks[i] != remarkNone:
			i++
		case importWords.Match(s.rows.row(i)):
			found = true
			i = s.balanced(i)
		default:
			return false
		}
	}
	return found
}

// balanced returns the row behind the statement on row i: the first on which every bracket
// is closed.
func (s *splitter) balanced(i int) int {
	const maxRows = 400 // of one import
	depth := 0
	for last := min(i+maxRows, s.rows.n()); i < last; i++ {
		row := s.rows.row(i)
		depth += bytes.Count(row, []byte("(")) + bytes.Count(row, []byte("{")) - bytes.Count(row, []byte(")")) - bytes.Count(row, []byte("}"))
		if depth <= 0 {
			return i + 1
		}
	}
	return i
}
