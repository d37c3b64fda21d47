package store_test

import (
	"testing"

	"go.uber.org/goleak"

	"ambit/vectors/record"
	"ambit/vectors/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSmoke(t *testing.T) {
	db := storetest.Open(t)
	b := &record.Batch{}
	b.Files = append(b.Files, storetest.Record("a.go", storetest.Text(1, 50), 40))
	if err := db.Apply(t.Context(), b); err != nil {
		t.Fatal(err)
	}
}
