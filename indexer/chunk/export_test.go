package chunk

// EstimateTokens returns the estimate that the limits are measured in, in tokens.
func EstimateTokens(text string) int { return toTokens(cost([]byte(text))) }
