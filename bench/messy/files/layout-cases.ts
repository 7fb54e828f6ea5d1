/** Files whose rows, columns or format are not what their names say. */
import { gzipSync } from 'node:zlib'
import { type FileCase, fileCase, misused, refused, taken } from './file-case.ts'

const oak = { domain: 'oak.example', name: 'Oak', country: 'DE' }
const elm = { domain: 'elm.example', name: 'Elm', country: 'FR' }
const plain = 'domain,name,country\noak.example,Oak,DE\nelm.example,Elm,FR\n'

const columns: readonly FileCase[] = [
  fileCase(
    5,
    'an empty column without a name',
    'domain,name,country,\noak.example,Oak,DE,\nelm.example,Elm,FR,\n',
    taken([oak, elm]),
  ),
  fileCase(
    5,
    'a column without a name that has values',
    'domain,name,country,\noak.example,Oak,DE,x\nelm.example,Elm,FR,y\n',
    taken([oak, elm], /column 4/, /no name/, /#4=/),
  ),
  fileCase(
    5,
    'the same, ignored by its position',
    'domain,name,country,\noak.example,Oak,DE,x\nelm.example,Elm,FR,y\n',
    { ...taken([oak, elm]), never: /no name/ },
    { flags: ['--map', '#4='] },
  ),
  fileCase(
    5,
    'the same, named by its position',
    'domain,name,\noak.example,Oak,DE\nelm.example,Elm,FR\n',
    taken([oak, elm]),
    { flags: ['--map', '#3=country'] },
  ),
  fileCase(
    5,
    'one row shifted into it',
    `domain,name,country,\n${'fir.example,Fir,DE,\n'}oak.example,Oak,DE,\nelm.example,Elm, Ltd.,FR\n`,
    taken([{ domain: 'fir.example' }, oak], /without a name/),
  ),
  fileCase(
    5,
    'a column without a name in the middle',
    'domain,,name\noak.example,x,Oak\nelm.example,y,Elm\n',
    taken(
      [
        { domain: 'oak.example', name: 'Oak' },
        { domain: 'elm.example', name: 'Elm' },
      ],
      /column 2/,
    ),
  ),
  fileCase(11, 'a header twice', 'domain,name,name\noak.example,Oak,Oak Ltd.\n', refused(/#[23]=|column [23]/)),
  fileCase(
    11,
    'a header twice, one ignored by position',
    'domain,name,name\noak.example,Oak,Oak Ltd.\n',
    taken([{ name: 'Oak' }]),
    { flags: ['--map', '#3='] },
  ),
  fileCase(11, 'two columns for one field', 'domain,website,name\noak.example,elm.example,Oak\n', [
    refused(/website/),
    taken([{ domain: 'oak.example' }], /website/),
  ]),
]

const rows: readonly FileCase[] = [
  fileCase(14, 'short rows', 'domain,name,country\noak.example,Oak\nelm.example,Elm,FR\n', taken([elm], /1 rejected/)),
  fileCase(
    14,
    'short rows, filled',
    'domain,name,country\noak.example,Oak\nelm.example,Elm,FR\n',
    taken([{ domain: 'oak.example', name: 'Oak', country: undefined }, elm]),
    { flags: ['--short-rows', 'fill'] },
  ),
  fileCase(
    14,
    'long rows are not filled',
    'domain,name,country\noak.example,Oak,DE,x,y\nelm.example,Elm,FR\n',
    taken([elm], /1 rejected/),
    { flags: ['--short-rows', 'fill'] },
  ),
  fileCase(
    14,
    'lines above the header',
    `Report of shops,,\n"Made on 1 May",,\n,,\n${plain}`,
    refused(/line 4/, /header/),
  ),
  fileCase(
    14,
    'lines above the header, and --header-row',
    `Report of shops\nMade on 1 May\n${plain}`,
    taken([oak, elm]),
    { flags: ['--header-row', '3'] },
  ),
  fileCase(14, 'a list of domains without a header', 'oak.example\nelm.example\nfir.example\n', refused(/header/)),
  fileCase(
    14,
    'the same with --no-header',
    'oak.example\nelm.example\nfir.example\n',
    taken([{ domain: 'oak.example' }, { domain: 'elm.example' }, { domain: 'fir.example' }]),
    { flags: ['--no-header', 'domain'] },
  ),
  fileCase(14, 'three columns with --no-header', 'oak.example;Oak;DE\nelm.example;Elm;FR\n', taken([oak, elm]), {
    flags: ['--no-header', 'domain,name,country'],
  }),
  fileCase(14, 'no records', 'domain,name,country\n', taken([], /no records|no rows|0 stores? read/)),
]

const named = (file: string, flags: string[] = []) => ({ file, flags })
const lines = (text: string) => `{"domain":"oak.example","name":"${text}"}\n`
const formats: readonly FileCase[] = [
  fileCase(
    12,
    'an .xlsx called .csv',
    Buffer.from('PK\x03\x04\x14\x00\x06\x00\x08\x00[Content_Types].xml xl/workbook.xml', 'latin1'),
    refused(/spreadsheet|workbook|Excel|xlsx|zip/i),
  ),
  fileCase(
    12,
    'an .xls called .csv',
    Buffer.from('d0cf11e0a1b11ae10000000000000000', 'hex'),
    refused(/spreadsheet|workbook|Excel|xls/i),
  ),
  fileCase(12, 'gzip called .csv', gzipSync(plain), [refused(/gzip|\.gz/i), taken([oak, elm])]),
  fileCase(
    12,
    'a web page called .csv',
    '<!DOCTYPE html>\n<html><body><table><tr><td>domain</td></tr></table></body></html>\n',
    refused(/HTML|web page/i),
  ),
  fileCase(12, 'a PDF called .csv', '%PDF-1.7\n%âãÏÓ\n1 0 obj\n', refused(/PDF/i)),
  fileCase(12, 'JSON called .csv', '[{"domain":"oak.example","name":"Oak"}]\n', [
    refused(/JSON/i),
    taken([{ domain: 'oak.example', name: 'Oak' }]),
  ]),
  fileCase(12, '.tsv', plain.replaceAll(',', '\t'), taken([oak, elm]), named('stores.tsv')),
  fileCase(12, '.txt with semicolons', plain.replaceAll(',', ';'), taken([oak, elm]), named('stores.txt')),
  fileCase(
    12,
    'NDJSON in UTF-16 with its mark',
    Buffer.from(`\ufeff${lines('Müller')}`, 'utf16le'),
    taken([{ domain: 'oak.example', name: 'Müller' }]),
    named('stores.ndjson'),
  ),
  fileCase(
    12,
    'a delimiter for NDJSON',
    lines('Oak'),
    [misused(/--delimiter/), refused(/--delimiter/)],
    named('stores.ndjson', ['--delimiter', ';']),
  ),
  fileCase(
    12,
    'an order of dates for NDJSON',
    lines('Oak'),
    [misused(/--dates/), refused(/--dates/)],
    named('stores.ndjson', ['--dates', 'dmy']),
  ),
]

export const layoutCases: readonly FileCase[] = [...columns, ...rows, ...formats]
