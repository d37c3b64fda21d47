/** Pays for what the cart holds. */
export function checkout(cents: number): string {
  return format(cents) + " paid";
}

function format(cents: number): string {
  return (cents / 100).toFixed(2);
}
