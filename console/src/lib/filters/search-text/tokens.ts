/** A word as it was typed, with its place in the text. */
export interface Token {
  text: string
  /** Letters and digits alone, in lower case and without accents; empty for a sign such as `&`. */
  key: string
  /** A sign in front of the word: `-yotpo` leaves it out, `+klaviyo` demands it. */
  mark: '' | '-' | '+'
  start: number
  end: number
}

/** Splits at white space, slashes and commas; not at the commas of `1,000,000`. */
export function splitWords(text: string): Token[] {
  const word = /(?:[^\s,;/|]|(?<=\d),(?=\d{3}(?!\d)))+/g
  return [...text.matchAll(word)].map(({ 0: raw, index }) => {
    const mark = /^[-–+!]\p{L}/u.test(raw) ? raw[0] : ''
    return {
      text: mark ? raw.slice(1) : raw,
      key: toKey(raw),
      mark: mark === '+' ? '+' : mark ? '-' : '',
      start: index,
      end: index + raw.length,
    }
  })
}

/** The form in which labels and words are compared: `E-commerce`, `e commerce` and `ecommerce` are the same. */
export function toKey(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')
}
