package lazy_test

import (
	"testing"

	"ambit/indexer/lazy"
)

func TestARegexpIsCompiledOnce(t *testing.T) {
	get := lazy.Regexp(`^a+$`)
	if !get().MatchString("aaa") || get().MatchString("b") {
		t.Error("the expression does not match what it says")
	}
	if first, second := get(), get(); first != second {
		t.Error("the expression is compiled twice")
	}
}

func TestAWrongRegexpFailsTheTestsOfItsPackage(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	lazy.Regexp(`(`)
}
