/** Texts with a larger distance are not similar. */
const farthest = 0.6

/** The texts with a similar spelling, in any case, nearest first. `maxDistance` is 0 for equal texts and 1 for nothing in common. */
export function nearestTexts(texts: readonly string[], wanted: string, maxDistance = farthest): string[] {
  const word = wanted.toLowerCase().slice(0, 60)
  const scored: { text: string; distance: number }[] = []
  for (const text of texts) {
    const distance = dissimilarity(word, text.toLowerCase())
    if (distance <= maxDistance) scored.push({ text, distance })
  }
  scored.sort((a, b) => a.distance - b.distance || (a.text < b.text ? -1 : 1))
  return scored.map(({ text }) => text)
}

/** 0 for equal words to 1 for nothing in common: edit distance over length, less if one contains the other. */
function dissimilarity(a: string, b: string): number {
  const longer = Math.max(a.length, b.length, 1)
  const contained = Math.min(a.length, b.length) >= 3 && (a.includes(b) || b.includes(a))
  // The difference in length alone can rule a word out.
  if (!contained && Math.abs(a.length - b.length) / longer > farthest) return 1
  const distance = editDistance(a, b) / longer
  return contained ? Math.min(distance, 0.3) : distance
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  const row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let i = 1; i <= a.length; i++) {
    let diagonal = row[0]!
    row[0] = i
    for (let j = 1; j <= b.length; j++) {
      const above = row[j]!
      row[j] = Math.min(above + 1, row[j - 1]! + 1, diagonal + (a[i - 1] === b[j - 1] ? 0 : 1))
      diagonal = above
    }
  }
  return row[b.length]!
}

/** The words of a name without regard to case, accents and punctuation. `Mueller` and `Müller` are one. */
export function wordsOfName(name: string): string[] {
  const letters = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const plain = letters
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .replace(/([aou])e/g, '$1')
  return plain.match(/[\p{L}\p{N}]+/gu) ?? []
}
