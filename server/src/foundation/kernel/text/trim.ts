/**
 * The text without the characters at both ends that match `character`. A pattern such as `/x+$/` would begin again at
 * every x, and so take quadratic time on text of others.
 */
export function trimMatching(text: string, character: RegExp): string {
  let start = 0
  while (start < text.length) {
    const first = String.fromCodePoint(text.codePointAt(start)!)
    if (!character.test(first)) break
    start += first.length
  }
  let end = text.length
  while (end > start) {
    const last = lastCharacter(text, end)
    if (!character.test(last)) break
    end -= last.length
  }
  return text.slice(start, end)
}

/** The character that ends before `end`; the two halves of a surrogate pair are one. */
function lastCharacter(text: string, end: number): string {
  const pair = end >= 2 ? text.codePointAt(end - 2)! : 0
  return pair > 0xffff ? String.fromCodePoint(pair) : text[end - 1]!
}

/** Why a text of a request cannot be stored: half of a character, which no encoding has. */
export function textFault(text: string): string | null {
  return /\p{Cs}/u.test(text) ? 'must not have half of a surrogate pair' : null
}
