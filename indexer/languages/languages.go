// Package languages turns the bytes of one file into an [Outline]: declarations,
// references, imports, local names, headings and paragraphs as plain values.
//
// Parse never fails and never reads anything but its arguments: what no grammar
// covers is prose, and what a grammar cannot read costs the declaration it is in.
// Syntax trees and C pointers never leave the package. It is safe for concurrent
// use.
package languages
