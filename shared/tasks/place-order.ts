/** An order of places written as text, `3,0,2,1`; undefined for a text that does not name each of 0 to n−1 once. */
export function placeOrder(text: string): readonly number[] | undefined {
  const places = text.split(',').map((place) => (place.trim() === '' ? Number.NaN : Number(place)));
  return places.length > 1 && [...places].sort((a, b) => a - b).every((place, index) => place === index)
    ? places
    : undefined;
}
