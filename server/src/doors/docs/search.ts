import type { TextSection } from './markdown.ts'

/** What a search of the documentation finds. */
export interface SearchEntry extends TextSection {
  /** The title of its page, or the method and path of an operation. */
  where: string
  path: string
}

export const maxQueryLength = 100
const maxWords = 8
const excerptLength = 220
const excerptLead = 60

/** The words of a query, in lower case, at most eight. */
export function queryWords(query: string): string[] {
  const words = query.slice(0, maxQueryLength).match(/[\p{L}\p{N}_]+/gu) ?? []
  return [...new Set(words.map((word) => word.toLowerCase()))].slice(0, maxWords)
}

/** The entries that contain every word, the best first: a word counts most in a heading, then in the text. */
export function searchEntries(entries: readonly SearchEntry[], words: readonly string[]): SearchEntry[] {
  if (words.length === 0) return []
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry)
}

/** The sum over the words; 0 if one is missing. */
function scoreOf({ heading, text, where }: SearchEntry, words: readonly string[]): number {
  const [inHeading, inText, inWhere] = [heading, text, where].map((each) => each.toLowerCase())
  let score = 0
  for (const word of words) {
    const own =
      (indexOfWord(inHeading!, word) >= 0 ? 20 : 0) +
      (indexOfWord(inWhere!, word) >= 0 ? 3 : 0) +
      countOf(inText!, word)
    if (own === 0) return 0
    score += own
  }
  return score
}

/** Where a word begins with `word`, from `from` on; -1 for nowhere. Parts of a name such as `search_rows` are words. */
function indexOfWord(text: string, word: string, from = 0): number {
  let at = text.indexOf(word, from)
  while (at > 0 && /[\p{L}\p{N}]/u.test(text[at - 1]!)) at = text.indexOf(word, at + 1)
  return at
}

const maxCount = 5

function countOf(text: string, word: string): number {
  let count = 0
  for (let at = indexOfWord(text, word); at >= 0 && count < maxCount; at = indexOfWord(text, word, at + 1)) count++
  return count
}

/** A part of a text that is marked, or not. */
export interface TextPart {
  text: string
  isMatch: boolean
}

/** The text around the first word that it contains, with the words marked. */
export function excerptOf(text: string, words: readonly string[]): TextPart[] {
  const found = words.map((word) => indexOfWord(text.toLowerCase(), word)).filter((at) => at >= 0)
  const first = found.length > 0 ? Math.min(...found) : 0
  const start = first <= excerptLead ? 0 : text.indexOf(' ', first - excerptLead) + 1
  const isWhole = text.length <= start + excerptLength
  const end = isWhole ? text.length : Math.max(text.lastIndexOf(' ', start + excerptLength), first + 1)
  const excerpt = markWords(text.slice(start, end), words)
  return [...(start > 0 ? [plain('… ')] : []), ...excerpt, ...(isWhole ? [] : [plain(' …')])]
}

export function markWords(text: string, words: readonly string[]): TextPart[] {
  const lower = text.toLowerCase()
  const parts: TextPart[] = []
  let at = 0
  while (at < text.length) {
    const next = nextMatch(lower, words, at)
    if (!next) break
    if (next.start > at) parts.push(plain(text.slice(at, next.start)))
    parts.push({ text: text.slice(next.start, next.end), isMatch: true })
    at = next.end
  }
  if (at < text.length) parts.push(plain(text.slice(at)))
  return parts
}

function nextMatch(text: string, words: readonly string[], from: number): { start: number; end: number } | undefined {
  return words
    .map((word) => ({ start: indexOfWord(text, word, from), length: word.length }))
    .filter(({ start }) => start >= 0)
    .sort((a, b) => a.start - b.start || b.length - a.length)
    .map(({ start, length }) => ({ start, end: start + length }))[0]
}

function plain(text: string): TextPart {
  return { text, isMatch: false }
}
