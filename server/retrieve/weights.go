package retrieve

// What a reason is worth at a cursor: the relevance of a unit that is certain to be
// in that relation to the symbol. Dependencies and dependents are measured by the
// yardstick of the bench; the rest stands below so that it never crowds them out.
const (
	worthSelf      = 1.0
	worthEnclosing = 0.95
	worthContainer = 0.8  // the type that a method belongs to
	worthCall      = 0.85 // what it calls, creates or extends
	worthType      = 0.75
	worthRead      = 0.65 // constants, variables, fields
	worthUser      = 0.8
	worthOverride  = 0.6 // what implements, overrides or is overridden
	worthTest      = 0.55
	worthDoc       = 0.5
	worthCoChange  = 0.25
	worthSibling   = 0.2
	worthSimilar   = 0.25

	// What a file uses once of a module that it imports is worth 1-worthOnce, what it
	// uses often nearly 1.
	worthOnce  = 0.1
	worthOffer = 0.5 // what the module offers beside

	worthMatch  = 0.99 // the best answer to a question in words
	worthPinned = 0.99 // behind what the cursor is on

	topOfFile     = 0.6 // factor for top-level statements and imports
	sureEnclosing = 0.5 // factor for what the unit around a used name brings
	worthExpanded = 0.4 // factor for what the units that answer a question use
)

// leastImported is the least probability with which a name is one of a module: what is
// guessed by name is left out.
const leastImported = 0.5

// The most that each channel brings.
const (
	maxUses         = 400 // a unit that uses more is a table
	maxUsers        = 40
	maxTests        = 6
	maxDocs         = 12
	maxOverrides    = 12
	maxSiblings     = 6
	maxCoChanges    = 3
	maxSimilar      = 8
	maxStructure    = 8
	maxDependencies = 40
	maxImported     = 40 // names of a module that the importer uses
	maxOffers       = 60 // other names of that module
	maxModuleFiles  = 24 // of those that make it up
)

// weights is the one table of what each signal counts. The score of a file is
//
//	(lexical + vector + fused + coherence) × (1 + definition + stem + directory + centrality) × demotion
//
// where each signal is in [0, 1] and stands with its weight. The values were chosen
// on the mean over all trees of the benchmark, on a coarse grid, so that halving or
// doubling any of them costs little.
var weights = struct {
	Lexical, Vector, Fused, Coherence    float64
	Definition, Stem, Directory, Central float64
	OneName                              float64 // definition, when the question is one name
	Hidden                               float64 // factor for a definition that is not exported
	Floor                                float64 // least of what text brings: a file can count by its names alone
	// Factors for what is rarely the answer.
	Test, Example, Vendored, Compat, OldVersion, Types, Header, Barrel float64
}{
	Lexical: 1, Vector: 0.3, Fused: 0.25, Coherence: 0.35,
	Definition: 0.6, Stem: 0.5, Directory: 0.15, Central: 0.2,
	OneName: 3, Hidden: 0.8, Floor: 0.25,
	Test: 0.5, Example: 0.5, Vendored: 0.3, Compat: 0.5, OldVersion: 0.5, Types: 0.7, Header: 0.85, Barrel: 0.7,
}
