package retrieve

// The worth of a relation at a cursor: the relevance of a unit that certainly has it. The
// benchmark measures dependencies and dependents; the other relations are worth less, so
// that they never displace those.
const (
	worthSelf      = 1.0
	worthEnclosing = 0.95
	worthContainer = 0.8  // the type that a method belongs to
	worthCall      = 0.85 // the symbol calls, creates or extends it
	worthType      = 0.75
	worthRead      = 0.65 // constants, variables
	worthField     = 0.45 // its type tells most of it
	aroundPart     = 0.7  // of the worth of a call: a filter that runs around the actions of all controllers
	worthUser      = 0.8
	worthOverride  = 0.6 // implements, overrides or is overridden
	worthTest      = 0.55
	worthNamedTest = 0.4 // of a test that does not use it by name
	worthDoc       = 0.5
	worthBlock     = 0.5  // a block that adds members to the type
	nextTest       = 0.03 // a test is worth this share less than the one before it
	worthCoChange  = 0.25
	worthSibling   = 0.2
	worthSimilar   = 0.25
	worthPeer      = 0.3 // overrides the same member

	// A used declaration without a body, of at most three lines, is read whole for less than
	// the signature of a method costs: it gains this part of what its worth lacks.
	worthBrief = 0.5
	briefLines = 3

	// A symbol of a module that the importer uses once is worth 1-worthOnce, one that it
	// uses often nearly 1.
	worthOnce   = 0.1
	worthExport = 0.5 // an export that the file does not use

	worthMatch  = 0.99 // the best answer to a question in words
	worthPinned = 0.99 // just below the symbol at the cursor

	// What is used outside of the workspace, as factors.
	worthPackage = 0.9 // of a package that the project chose
	worthStd     = 0.5 // of the standard library, which readers know

	worthRoute       = 0.7  // the routes to the class of an action
	worthSchema      = 0.7  // factor of the table of a model in question
	worthSchemaAsked = 0.98 // the same for a question about columns

	worthChangedText = 0.7 // changed lines outside of all units

	topOfFile     = 0.6 // factor for top-level statements and imports
	sureEnclosing = 0.5 // factor of the relations of the unit around a used name
	worthExpanded = 0.4 // factor of the dependencies of a match
	worthBeside   = 0.5 // factor of a section beside a match
)

// leastImported is the least probability of a symbol of a module; lower ones are guesses.
const leastImported = 0.5

// The most candidates of each channel.
const (
	maxUses         = 400 // a unit that uses more is a table
	maxUsers        = 40
	maxTests        = 6
	maxNamedTests   = 2
	maxDocs         = 12
	maxBlocks       = 8
	maxOverrides    = 12
	maxSiblings     = 6
	maxPeers        = 6 // members that override the same one
	maxCoChanges    = 3
	maxSimilar      = 8
	maxStructure    = 8
	maxDependencies = 40
	maxImported     = 40 // symbols of a module that the importer uses
	maxExports      = 60 // other symbols of that module
	maxModuleFiles  = 24
)

// weightTable has the weights of the signals. The score of a file is
//
//	(lexical + title + vector + fused + coherence + whole) × (1 + definition + stem + directory + path + centrality + quoted + history + tags + layer + updated) × demotion
//
// where each signal is in [0, 1] and multiplied by its weight.
type weightTable struct {
	Lexical, Title, Vector, Fused, Coherence float64 // Title: words of the first line of a report, again
	Whole                                    float64 // all words of the file
	Definition, Stem, Directory, Central     float64
	PathWords                                float64 // of a report: rare words of the path
	Quoted                                   float64 // the question quotes its path
	History                                  float64 // of a report: commits with words of its title changed the file
	Tags, Layer, Updated                     float64 // of the front matter of a document
	OneName                                  float64 // definition, when the question is one name
	Hidden                                   float64 // factor of a definition that is not exported
	Floor                                    float64 // least sum of the signals of text: a file can count by its names alone
	// Factors of files that are rarely the answer.
	Test, Example, Vendored, Compat, OldVersion, Types, Header, Barrel float64
	Document, Data, Compiled, Locale, Changelog                        float64
	Platform                                                           float64 // of an operating system that the question does not name
}

// weights are for a question of one line. They have the best mean over all trees of the
// benchmark on a coarse grid; halving or doubling any of them costs little. A document
// answers such a question as well as code does.
var weights = weightTable{
	Lexical: 1, Vector: 0.4, Fused: 0.3, Coherence: 0.5, Whole: 0.6,
	Definition: 0.7, Stem: 0.5, Directory: 0.1, Central: 0.2, Quoted: 1,
	Tags: 0.3, Layer: 0.1, Updated: 0.05,
	OneName: 3, Hidden: 0.8, Floor: 0.25,
	Test: 0.5, Example: 0.5, Vendored: 0.3, Compat: 0.5, OldVersion: 0.5, Types: 0.7, Header: 0.9, Barrel: 0.7,
	Document: 1, Data: 1, Compiled: 1, Locale: 1, Changelog: 1, Platform: 0.6,
}

// reportWeights are for a report, which asks for the code to change. They are what fits to
// each half of the trees of the issues agree on; a fit to one half makes the other worse.
// Centrality, recency and co-change do not pay here, the subjects of commits do.
var reportWeights = weightTable{
	Lexical: 0.3, Title: 0.5, Vector: 0.2, Fused: 0.2, Coherence: 1, Whole: 1.2,
	Definition: 0.5, Stem: 0.4, Directory: 0.1, PathWords: 0.25, Quoted: 2.5, History: 1,
	Tags: 0.3, Layer: 0.1, Updated: 0.05,
	OneName: 3, Hidden: 0.8, Floor: 0.25,
	Test: 0.1, Example: 0.4, Vendored: 0.3, Compat: 0.5, OldVersion: 0.5, Types: 0.7, Header: 0.9, Barrel: 0.7,
	Document: 0.2, Data: 0.2, Compiled: 0.2, Locale: 0.2, Changelog: 0.1, Platform: 1,
}
