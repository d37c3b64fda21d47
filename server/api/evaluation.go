package api

import "ambit/vectors/record"

// Evaluation says how well questions with known places are answered: the output of
// ambit eval --json.
type Evaluation struct {
	Root      string            `json:"root"`
	Questions int               `json:"questions"`
	Functions int               `json:"functions"` // questions whose places lie in functions
	Seed      uint64            `json:"seed"`
	Budget    int               `json:"budget"` // tokens of an answer
	Encoding  string            `json:"encoding"`
	Commits   *EvaluatedCommits `json:"commits,omitempty"` // absent when the questions come from a file
	// Retrievers are ambit and what it is compared with.
	Retrievers []Retrieval `json:"retrievers"`
	// Gain is what ambit search finds of the files beyond BM25, question by question: an
	// interval above 0 is a difference that is no chance.
	Gain Ranks `json:"gain"`
	// Strategies are ways to cut files, all searched by the same plain search.
	Strategies []Retrieval         `json:"strategies"`
	Formats    []FormatOverhead    `json:"formats"`
	Results    []EvaluatedQuestion `json:"results"` // the latest commit first, or in the order of the file
	Seconds    float64             `json:"seconds"`
}

// EvaluatedCommits are the commits whose messages are the questions.
type EvaluatedCommits struct {
	Read    int           `json:"read"`  // commits of the history that were looked at
	Apt     int           `json:"apt"`   // of them, those that may be asked about
	Asked   int           `json:"asked"` // drawn from those
	First   string        `json:"first"` // date of the earliest that was asked about
	Last    string        `json:"last"`
	LeftOut []CommitsLeft `json:"left_out"`
}

// CommitsLeft counts commits that are not asked about.
type CommitsLeft struct {
	Reason  string `json:"reason"`
	Commits int    `json:"commits"`
}

// Retrieval is how well one method finds the places.
type Retrieval struct {
	Name      string  `json:"name"`
	Files     Ranks   `json:"files"`
	Functions *Ranks  `json:"functions,omitempty"` // absent without questions about functions, and for a method that finds only files
	Lines     Reading `json:"lines"`
	Chunks    int     `json:"chunks,omitempty"`       // of a strategy, in the last tree
	ChunkSize int     `json:"chunk_tokens,omitempty"` // their mean, an estimate
}

// Ranks say how far in front the expected files or functions are, as means over questions.
type Ranks struct {
	Acc1   Figure `json:"acc_1"` // all expected are the first; with several, never
	Acc5   Figure `json:"acc_5"` // all expected are among the first five
	Acc10  Figure `json:"acc_10"`
	Rec10  Figure `json:"recall_10"` // the share of the expected among the first ten
	MRR    Figure `json:"mrr"`       // 1/rank of the first expected
	NDCG10 Figure `json:"ndcg_10"`
}

// Reading is what a reader gets for a budget of tokens: the places in their order until the
// budget ends.
type Reading struct {
	Files     Figure `json:"files"`      // the share of the expected files that is shown
	Recall    Figure `json:"recall"`     // the share of the expected lines that is shown
	Precision Figure `json:"precision"`  // the share of the shown lines that is expected
	Tokens    Figure `json:"tokens"`     // of the text
	PerTokens Figure `json:"per_tokens"` // expected lines in 1,000 tokens
}

// Figure is a mean over questions with its 95 % confidence interval, by the bootstrap.
type Figure struct {
	N    int     `json:"n"` // questions that count
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// FormatOverhead is the part of an answer's text in one format that is not code.
type FormatOverhead struct {
	Format    Format `json:"format"`
	Tokens    Figure `json:"tokens"`     // beyond those of the shown lines
	Share     Figure `json:"share"`      // of the tokens of the text
	PerSource Figure `json:"per_source"` // tokens
}

// EvaluatedQuestion is one question with the rank of its places.
type EvaluatedQuestion struct {
	Question string          `json:"question"` // its first line
	Commit   string          `json:"commit,omitempty"`
	Expected []ExpectedPlace `json:"expected"`
	Recall   float64         `json:"recall"` // of the expected lines, within the budget
}

// ExpectedPlace is an expected file.
type ExpectedPlace struct {
	Path  record.Path `json:"path"`
	Names []string    `json:"names,omitempty"` // the functions in it
	Rank  int         `json:"rank"`            // of the file in ambit search; 0 when it is not found
	BM25  int         `json:"bm25_rank"`
	Grep  int         `json:"grep_rank"`
}
