/**
 * Which characters a domain may have, by IDNA 2008 (RFC 5892). The URL standard takes many more, so that a name with a
 * non-breaking hyphen, or with an invisible mark, would be another domain than the one that a person reads.
 */

/** Letters, marks and digits, and the few others that the RFC lists. */
const permitted = /^[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}\u0f0b\u3007]$/u
const excluded = /^[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b]$/u
const invisible = /^\p{Default_Ignorable_Code_Point}$/u
/** After one of these a joiner shows in how letters are drawn: characters of the combining class 9 (virama). */
const virama = new Set(
  '\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d3b\u0d3c\u0d4d\u0dca\u0e3a' +
    '\u0eba\u0f84\u1039\u103a\u1714\u1715\u1734\u17d2\u1a60\u1b44\u1baa\u1bab\u1bf2' +
    '\u1bf3\u2d7f\ua806\ua82c\ua8c4\ua953\ua9c0\uaaf6\uabed',
)
/** Arabic, Syriac, N'Ko and Mandaic letters that join at both sides (Joining_Type D), and those that do so before only (R). */
const dualJoining =
  '\u0620\u0626\u0628\u062a-\u062e\u0633-\u063f\u0641-\u0647\u0649\u064a\u066e\u066f\u0678-\u0687' +
  '\u069a-\u06bf\u06c1\u06c2\u06cc\u06ce\u06d0\u06d1\u06fa-\u06fc\u06ff\u0712-\u0714\u071a-\u071d' +
  '\u071f-\u0727\u0729\u072b\u072d\u072e\u074e-\u0758\u075c-\u076a\u076d-\u0770\u0772\u0775-\u0777' +
  '\u077a-\u077f\u07ca-\u07ea\u0841-\u0845\u0848\u084a-\u0853\u0855\u0860\u0862-\u0865\u0868\u0886' +
  '\u0889-\u088d\u08a0-\u08a9\u08af\u08b0\u08b3-\u08b8\u08ba-\u08c8'
const rightJoining =
  '\u0622-\u0625\u0627\u0629\u062f-\u0632\u0648\u0671-\u0673\u0675-\u0677\u0688-\u0699\u06c0' +
  '\u06c3-\u06cb\u06cd\u06cf\u06d2\u06d3\u06d5\u06ee\u06ef\u0710\u0715-\u0719\u071e\u0728\u072a' +
  '\u072c\u072f\u074d\u0759-\u075b\u076b\u076c\u0771\u0773\u0774\u0778\u0779\u0840\u0846\u0847' +
  '\u0849\u0854\u0856-\u0858\u0867\u0869\u086a\u0870-\u0882\u088e\u08aa-\u08ac\u08ae\u08b1\u08b2' +
  '\u08b9'
/** A non-joiner shows between two letters that would join (RFC 5892, appendix A.1). */
const joinsNext = new RegExp(`^[${dualJoining}]$`, 'u')
const joinsPrevious = new RegExp(`^[${dualJoining}${rightJoining}]$`, 'u')
const mark = /^\p{Mn}$/u
/** How far the letter may be, behind its marks. */
const nearby = 9
const [nonJoiner, joiner] = ['\u200c', '\u200d']
/** Letters that look like a hyphen between letters of another script. */
const hyphenLetters = new Set(['\u30fc', '\u4e00', '\u3161', '\u1173'])
const japanese = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u

/** The first character of a label that no domain may have, as it is written; null if there is none. */
export function findForeignCharacter(label: string): string | null {
  const characters = [...label]
  const foreign = characters.find((character, index) => {
    if (character <= '\x7f') return false
    const [before = '', after = ''] = [characters[index - 1], characters[index + 1]]
    if (character === nonJoiner || character === joiner) return !showsJoiner(characters, index)
    if (invisible.test(character)) return true
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

/** Whether a joiner or a non-joiner changes how the letters around it are drawn; otherwise it is invisible. */
function showsJoiner(characters: readonly string[], index: number): boolean {
  if (virama.has(characters[index - 1] ?? '')) return true
  const isLetter = (character: string) => !mark.test(character)
  const before = characters.slice(Math.max(0, index - nearby), index).findLast(isLetter)
  const after = characters.slice(index + 1, index + 1 + nearby).find(isLetter)
  return characters[index] === nonJoiner && joinsNext.test(before ?? '') && joinsPrevious.test(after ?? '')
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
