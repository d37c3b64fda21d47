package store_test

const childRole = "AMBIT_STORE_TEST_CHILD"

func runChild(role string) int { return 0 }
