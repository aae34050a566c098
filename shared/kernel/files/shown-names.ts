/** False for names hidden from clients: dot-files and leftovers of Python. */
export function isShown(name: string): boolean {
  return !name.startsWith('.') && name !== '__pycache__';
}
