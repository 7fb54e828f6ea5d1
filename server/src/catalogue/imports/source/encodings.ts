import iconv from 'iconv-lite'
import { OperatorError } from '../../../foundation/kernel/errors.ts'
import { nearestTexts } from '../../../foundation/kernel/similarity.ts'

/** The encodings of text that files may have, with what else people and programs call them. */
const encodings: Readonly<Record<string, string>> = {
  'utf-8': 'utf8 unicode utf8bom utf8sig cp65001 65001 ascii usascii',
  'utf-16le': 'utf16 utf16le ucs2 ucs2le unicodelittle 1200',
  'utf-16be': 'utf16be ucs2be unicodebig 1201',
  'utf-32le': 'utf32 utf32le',
  'utf-32be': 'utf32be',
  // As browsers do: the control characters of Latin 1 are in no text.
  'windows-1252': 'cp1252 win1252 1252 ansi western westerneuropean latin1 l1 iso88591 88591',
  'windows-1250': 'cp1250 win1250 1250 centraleuropean easteuropean',
  'windows-1251': 'cp1251 win1251 1251 cyrillic',
  'windows-1253': 'cp1253 win1253 1253 greek',
  'windows-1254': 'cp1254 win1254 1254 turkish latin5 iso88599 88599',
  'windows-1255': 'cp1255 win1255 1255 hebrew',
  'windows-1256': 'cp1256 win1256 1256 arabic',
  'windows-1257': 'cp1257 win1257 1257 baltic',
  'windows-1258': 'cp1258 win1258 1258 vietnamese',
  'windows-874': 'cp874 win874 874 thai tis620 iso885911',
  'iso-8859-2': 'latin2 l2 88592',
  'iso-8859-3': 'latin3 l3 88593',
  'iso-8859-4': 'latin4 l4 88594',
  'iso-8859-5': '88595',
  'iso-8859-6': '88596',
  'iso-8859-7': '88597',
  'iso-8859-8': '88598',
  'iso-8859-10': 'latin6 885910',
  'iso-8859-13': 'latin7 885913',
  'iso-8859-14': 'latin8 885914',
  'iso-8859-15': 'latin9 885915',
  'iso-8859-16': 'latin10 885916',
  'koi8-r': 'koi8 russian',
  'koi8-u': 'ukrainian',
  macintosh: 'mac macroman macosroman xmacroman',
  'mac-centraleurope': 'maccenteuro macce xmacce maclatin2',
  'mac-cyrillic': 'xmaccyrillic',
  'mac-greek': '',
  'mac-turkish': '',
  cp437: '437 ibm437 dos oem',
  cp850: '850 ibm850',
  cp852: '852 ibm852',
  cp855: '855 ibm855',
  cp857: '857 ibm857',
  cp858: '858 ibm858',
  cp862: '862 ibm862',
  cp866: '866 ibm866',
  shift_jis: 'sjis shiftjis cp932 932 windows31j mskanji japanese xsjis',
  'euc-jp': 'eucjp xeucjp ujis',
  gb18030: 'chinese',
  gbk: 'gb2312 cp936 936 euccn xgbk simplifiedchinese',
  big5: 'cp950 950 traditionalchinese',
  'big5-hkscs': 'big5hk',
  'euc-kr': 'cp949 949 uhc ksc5601 ksx1001 korean ksc56011987 windows949',
}

/** The decoder's names, where they differ. */
const codecs: Readonly<Record<string, string>> = {
  'mac-centraleurope': 'maccenteuro',
  'mac-cyrillic': 'maccyrillic',
  'mac-greek': 'macgreek',
  'mac-turkish': 'macturkish',
}

/** Compared without regard to case and punctuation, and without the prefix that names IBM or a charset's owner. */
function keyOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

const byKey = new Map(
  Object.entries(encodings).flatMap(([name, others]) =>
    [keyOf(name), ...others.split(' ').filter((other) => other !== '')].map((key) => [key, name] as const),
  ),
)

/** The name of an encoding as it is reported; throws an `OperatorError` for one that is unknown, or is not of text. */
export function requireEncoding(given: string): string {
  const key = keyOf(given)
  const name = byKey.get(key) ?? byKey.get(key.replace(/^cs/, ''))
  if (name !== undefined) return name
  const similar = nearestTexts([...byKey.keys()], key, 0.4).map((near) => byKey.get(near)!)
  const nearest = [...new Set(similar)].slice(0, 3)
  const examples =
    'utf-8, utf-16le, windows-1252, windows-1250, windows-1251, macintosh, shift_jis, gb18030, big5, euc-kr'
  throw new OperatorError(
    `The encoding "${given.slice(0, 40)}" is not known${nearest.length > 0 ? ` (nearest: ${nearest.join(', ')})` : ''}. Some that are: ${examples}.`,
  )
}

/** The decoder's name of an encoding. */
export function codecOf(name: string): string {
  const codec = codecs[name] ?? name
  if (!iconv.encodingExists(codec)) throw new Error(`there is no decoder for ${name}`)
  return codec
}
