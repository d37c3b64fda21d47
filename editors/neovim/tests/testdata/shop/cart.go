package shop

// Cart holds items.
type Cart struct{ items []Item }

// Total sums the prices up.
func (c *Cart) Total() int {
	sum := 0
	for _, i := range c.items {
		sum += priceOf(i)
	}
	return sum
}
