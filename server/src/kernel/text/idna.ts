/**
 * Which characters a domain may have, by IDNA 2008 (RFC 5892). The URL standard takes many more, so that a name with a
 * non-breaking hyphen, or with a mark that nobody sees, would be another domain than the one that a person reads.
 */

/** Letters, marks and digits, and the few others that the RFC lists. */
const permitted = /^[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}\u0f0b\u3007]$/u
const excluded = /^[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b]$/u
const invisible = /^\p{Default_Ignorable_Code_Point}$/u
/** After one of these a joiner shows in how letters are drawn. */
const virama = /^[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u0f84\u1039\u17d2]$/u
const joiners = new Set(['\u200c', '\u200d'])
/** Letters that look like a hyphen between letters of another script. */
const hyphenLetters = new Set(['\u30fc', '\u4e00', '\u3161', '\u1173'])
const japanese = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u

/** The first character of a label that no domain may have, as it is written; null if there is none. */
export function findForeignCharacter(label: string): string | null {
  const characters = [...label]
  const foreign = characters.find((character, index) => {
    if (character <= '\x7f') return false
    const [before = '', after = ''] = [characters[index - 1], characters[index + 1]]
    if (invisible.test(character)) return !(joiners.has(character) && virama.test(before))
    if (index === 0 && /^\p{M}/u.test(character)) return true
    if (hyphenLetters.has(character)) return /^[\w-]$/.test(before) && /^[\w-]$/.test(after)
    if (inContext.has(character)) return !inContext.get(character)!(before, after, label)
    const mapped = character.normalize('NFKC').toLowerCase().normalize('NFKC')
    return ![...mapped].every((each) =>
      each <= '\x7f'
        ? /^[a-z0-9.-]$/.test(each)
        : permitted.test(each) && !excluded.test(each) && !invisible.test(each),
    )
  })
  return foreign ?? null
}

/** Characters that a domain may have beside certain others (RFC 5892, appendix A). */
const inContext = new Map<string, (before: string, after: string, label: string) => boolean>([
  ['\u00b7', (before, after) => before === 'l' && after === 'l'],
  ['\u0375', (_before, after) => /^\p{Script=Greek}$/u.test(after)],
  ['\u05f3', (before) => /^\p{Script=Hebrew}$/u.test(before)],
  ['\u05f4', (before) => /^\p{Script=Hebrew}$/u.test(before)],
  ['\u30fb', (_before, _after, label) => japanese.test(label)],
])

/** Those that are met, because programs put them where people write something else. Node has no names of characters. */
const names: Readonly<Record<number, string>> = {
  160: 'NO-BREAK SPACE',
  173: 'SOFT HYPHEN',
  183: 'MIDDLE DOT',
  727: 'MODIFIER LETTER MINUS SIGN',
  847: 'COMBINING GRAPHEME JOINER',
  1418: 'ARMENIAN HYPHEN',
  1564: 'ARABIC LETTER MARK',
  8199: 'FIGURE SPACE',
  8201: 'THIN SPACE',
  8203: 'ZERO WIDTH SPACE',
  8204: 'ZERO WIDTH NON-JOINER',
  8205: 'ZERO WIDTH JOINER',
  8206: 'LEFT-TO-RIGHT MARK',
  8207: 'RIGHT-TO-LEFT MARK',
  8208: 'HYPHEN',
  8209: 'NON-BREAKING HYPHEN',
  8210: 'FIGURE DASH',
  8211: 'EN DASH',
  8212: 'EM DASH',
  8213: 'HORIZONTAL BAR',
  8216: 'LEFT SINGLE QUOTATION MARK',
  8217: 'RIGHT SINGLE QUOTATION MARK',
  8220: 'LEFT DOUBLE QUOTATION MARK',
  8221: 'RIGHT DOUBLE QUOTATION MARK',
  8226: 'BULLET',
  8231: 'HYPHENATION POINT',
  8234: 'LEFT-TO-RIGHT EMBEDDING',
  8235: 'RIGHT-TO-LEFT EMBEDDING',
  8236: 'POP DIRECTIONAL FORMATTING',
  8237: 'LEFT-TO-RIGHT OVERRIDE',
  8238: 'RIGHT-TO-LEFT OVERRIDE',
  8239: 'NARROW NO-BREAK SPACE',
  8259: 'HYPHEN BULLET',
  8288: 'WORD JOINER',
  8294: 'LEFT-TO-RIGHT ISOLATE',
  8295: 'RIGHT-TO-LEFT ISOLATE',
  8296: 'FIRST STRONG ISOLATE',
  8297: 'POP DIRECTIONAL ISOLATE',
  8722: 'MINUS SIGN',
  12288: 'IDEOGRAPHIC SPACE',
  12540: 'KATAKANA-HIRAGANA PROLONGED SOUND MARK',
  12644: 'HANGUL FILLER',
  65112: 'SMALL EM DASH',
  65279: 'ZERO WIDTH NO-BREAK SPACE',
  65533: 'REPLACEMENT CHARACTER',
}

/** `U+2011 NON-BREAKING HYPHEN`; the number alone for a character whose name is not known here. */
export function nameCharacter(character: string): string {
  const code = character.codePointAt(0)!
  const number = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  return names[code] === undefined ? number : `${number} ${names[code]}`
}
