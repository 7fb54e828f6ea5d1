/** Encodings, and texts that would do something to a terminal. */
import { type FileCase, fileCase, controls as never, refused, taken } from './file-case.ts'

/** A file of one store whose name has these bytes. */
function named(hex: string, before = 'domain,name\noak.example,', after = '\n'): Buffer {
  return Buffer.concat([Buffer.from(before), Buffer.from(hex, 'hex'), Buffer.from(after)])
}

const encoded: [encoding: string, hex: string, name: string][] = [
  ['shift_jis', '938c8b9e', '東京'],
  ['euc-jp', 'c5ecb5fe', '東京'],
  ['gb18030', 'b1b1bea9', '北京'],
  ['gbk', 'b1b1bea9', '北京'],
  ['big5', 'bb4fa55f', '臺北'],
  ['euc-kr', 'bcadbfef', '서울'],
  ['iso-8859-2', 'a3f364bc', 'Łódź'],
  ['windows-1250', 'a3f3649f', 'Łódź'],
  ['windows-1251', 'cceef1eae2e0', 'Москва'],
  ['koi8-r', 'edcfd3cbd7c1', 'Москва'],
  ['iso-8859-15', '43616665a4', 'Cafe€'],
  ['macintosh', '4d9f6c6c6572', 'Müller'],
]

const red = '\x1b[31mred\x1b[0m'

export const textCases: readonly FileCase[] = [
  ...encoded.map(([encoding, hex, name]) =>
    fileCase(8, `--encoding ${encoding}`, named(hex), taken([{ domain: 'oak.example', name }]), {
      flags: ['--encoding', encoding],
    }),
  ),
  fileCase(8, 'U+FFFD in UTF-8', 'domain,name\noak.example,M\ufffdller\n', refused(/--encoding/)),
  fileCase(8, 'a C1 control in UTF-8', 'domain,name\noak.example,Caf\u0092s\n', refused(/--encoding/)),
  fileCase(8, 'a byte that Windows-1252 does not have', named('4d816c6c6572'), refused(/--encoding/)),
  fileCase(8, 'Shift JIS without a word', named('93fa967b8fa49358'), [refused(/--encoding/)]),
  fileCase(8, 'a C1 control in NDJSON', '{"domain":"oak.example","name":"Caf\u0092s"}\n', refused(/name/), {
    file: 'stores.ndjson',
  }),
  fileCase(8, 'a dry run shows what it decoded', named('4dfc6c6c6572'), taken([], /line 2/, /"Müller"/), {
    flags: ['--dry-run'],
  }),
  fileCase(9, 'an escape in a header', `domain,${red}\noak.example,Oak\n`, { ...refused(/\\u001b|\\x1b/i), never }),
  fileCase(9, 'an escape in a value', `domain,name\n${red},Oak\n`, { ...refused(/domain/), never }),
  fileCase(
    9,
    'an escape in a key of NDJSON',
    `{"domain":"oak.example","${red.replaceAll('\x1b', '\\u001b')}":1}\n`,
    { ...refused(/red/), never },
    { file: 'stores.ndjson' },
  ),
  fileCase(
    9,
    'an escape in the name of the file',
    'Foo;Bar\na;b\n',
    { ...refused(/Foo/), never },
    { file: `${red}.csv` },
  ),
  fileCase(9, 'an escape in a theme', `domain,theme\noak.example,${red}\n`, { ...refused(/theme/), never }),
  fileCase(
    15,
    'an apostrophe before @home',
    `domain,name\noak.example,'@home Living\n`,
    taken([{ domain: 'oak.example', name: '@home Living' }]),
  ),
]
