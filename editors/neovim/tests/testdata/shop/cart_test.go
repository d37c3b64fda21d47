package shop

import "testing"

func TestTotal(t *testing.T) {
	if (&Cart{}).Total() != 0 {
		t.Fail()
	}
}
