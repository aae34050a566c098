/** False for names that clients never see: dot-files, and what Python leaves behind. */
export function isShown(name: string): boolean {
  return !name.startsWith('.') && name !== '__pycache__';
}
