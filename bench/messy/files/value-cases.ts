/** Values in files that are too small, or too plain, to tell what they mean. */
import { controls, type FileCase, fileCase, joinRows, type Outcome, refused, taken } from './file-case.ts'

const delimiters = { commas: ',', semicolons: ';', tabs: '\t', bars: '|' }
const ads = (...counts: string[]) => [
  ['domain', 'name', 'active_ads'],
  ...counts.map((count, at) => [`${'abc'[at]}.example`, 'A', count]),
]

/** No number of the file tells what its marks mean. */
const thousands = Object.entries(delimiters).flatMap(([name, delimiter]) => [
  fileCase(
    1,
    `1.000 and 12.000, ${name}`,
    joinRows(ads('1.000', '12.000'), delimiter),
    refused(/1\.000/, /separator|thousand/),
  ),
  fileCase(
    1,
    `1,000 and 12,000, ${name}`,
    quoted(ads('1,000', '12,000'), delimiter),
    refused(/1,000/, /separator|thousand/),
  ),
])

function quoted(rows: string[][], delimiter: string): string {
  return joinRows(
    rows.map((cells) => cells.map((cell) => (cell.includes(',') ? `"${cell}"` : cell))),
    delimiter,
  )
}

const scored = (score: string, count: string) =>
  joinRows(
    [
      ['domain', 'lead_fit_score', 'active_ads'],
      ['a.example', score, count],
    ],
    ';',
  )
const store = (values: object) => taken([{ domain: 'a.example', ...values }])
const withoutAds: Outcome = { ...taken([{ domain: 'a.example', active_ads: undefined }], /whole number/) }

const evidence: readonly FileCase[] = [
  fileCase(
    1,
    'a decimal comma tells that 1.000 is a thousand',
    scored('64,5', '1.000'),
    store({ lead_fit_score: 64.5, active_ads: 1000 }),
  ),
  fileCase(
    1,
    'a decimal dot tells that 1,234 is a thousand',
    scored('71.5', '1,234'),
    store({ lead_fit_score: 71.5, active_ads: 1234 }),
  ),
  fileCase(1, 'a fraction of zeros is no count', scored('71.5', '1.000'), refused(/1\.000/, /whole number/)),
  fileCase(1, 'a fraction of one zero is no count', scored('71.5', '12.0'), refused(/12\.0/, /whole number/)),
  fileCase(1, 'the same, dropped', scored('71.5', '12.0'), withoutAds, { flags: ['--on-bad-value', 'drop'] }),
  fileCase(
    1,
    'numbers that contradict each other',
    joinRows(
      [
        ['domain', 'lead_fit_score', 'active_ads'],
        ['a.example', '71.5', '1'],
        ['b.example', '64,5', '1'],
        ['c.example', '1', '1.000'],
      ],
      ';',
    ),
    [
      taken([{ domain: 'a.example', lead_fit_score: 71.5 }], /1\.000/, /2 rejected/),
      taken([{ domain: 'b.example', lead_fit_score: 64.5 }], /1\.000/, /2 rejected/),
      taken(
        [
          { domain: 'a.example', lead_fit_score: 71.5 },
          { domain: 'b.example', lead_fit_score: 64.5 },
        ],
        /1\.000/,
        /1 rejected/,
      ),
    ],
  ),
  fileCase(1, '--decimal comma', joinRows(ads('1.000'), ';'), store({ active_ads: 1000 }), {
    flags: ['--decimal', 'comma'],
  }),
  fileCase(1, '--decimal dot', quoted(ads('1,000'), ','), store({ active_ads: 1000 }), { flags: ['--decimal', 'dot'] }),
  fileCase(
    1,
    'one number of two groups',
    joinRows(ads('1.234.567', '1.000'), ';'),
    taken([{ active_ads: 1234567 }, { active_ads: 1000 }]),
  ),
  fileCase(
    1,
    'a count with a blank, an apostrophe and a no-break space',
    joinRows(ads('1 234', "12'345", '1\u00a0234'), ','),
    taken([{ active_ads: 1234 }, { active_ads: 12345 }, { active_ads: 1234 }]),
  ),
  fileCase(1, 'fractions below one vote', scored('0.125', '1,234'), store({ lead_fit_score: 0.125, active_ads: 1234 })),
]

const dated = (cell: string) =>
  joinRows([
    ['domain', 'first_discovered_at'],
    ['a.example', `"${cell}"`],
  ])
const dates: readonly FileCase[] = [
  fileCase(
    13,
    'twelve hours, month first',
    dated('3/1/2021 5:03:00 PM'),
    store({ first_discovered_at: '2021-03-01T17:03:00.000Z' }),
    { flags: ['--dates', 'mdy'] },
  ),
  fileCase(
    13,
    'twelve hours, noon and midnight',
    joinRows([
      ['domain', 'first_discovered_at'],
      ['a.example', '3/1/2021 12:00 AM'],
      ['b.example', '3/1/2021 12:30 PM'],
    ]),
    taken([{ first_discovered_at: '2021-03-01T00:00:00.000Z' }, { first_discovered_at: '2021-03-01T12:30:00.000Z' }]),
    { flags: ['--dates', 'mdy'] },
  ),
  fileCase(13, 'twelve hours without --dates', dated('3/1/2021 5:03:00 PM'), refused(/--dates/)),
  fileCase(13, 'no hour of twelve', dated('3/1/2021 17:03:00 PM'), refused(/17:03/), { flags: ['--dates', 'mdy'] }),
  fileCase(13, 'a month of no language', dated('1 Smarch 2021'), refused(/Smarch/)),
  ...['1899-12-30', '2999-12-31', '0021-03-01'].map((date) =>
    fileCase(13, `the year of ${date}`, dated(date), refused(new RegExp(date))),
  ),
]

const host = (domain: string) => `domain,name\n${domain},Oak\n`
const domains: readonly FileCase[] = [
  fileCase(7, 'www twice', host('www.www.oak-shop.example'), taken([{ domain: 'oak-shop.example' }])),
  ...[
    'etsy.com/shop/oak',
    'https://www.instagram.com/oak',
    'facebook.com/oak',
    'amazon.com',
    'ebay.com/usr/oak',
    'linktr.ee/oak',
    'gmail.com',
    'info@gmail.com',
  ].map((domain) => fileCase(7, `a shared host: ${domain}`, host(domain), refused(/shared host|domain/))),
  fileCase(7, "a shop's own name at a platform", host('oak.myshopify.com'), taken([{ domain: 'oak.myshopify.com' }])),
  fileCase(
    7,
    'rows with different names that are one store',
    'domain,name\nhost.example/oak,Oak\nhost.example/elm,Elm\n',
    taken([{ domain: 'host.example' }], /different names/),
  ),
  fileCase(9, 'control characters in the name of a store', 'domain,name\na.example,"\x1b[31mRed\x1b[0m"\n', {
    ...refused(/name/),
    never: controls,
  }),
  fileCase(13, 'a list with semicolons and line breaks', 'domain,pixels\na.example,"Meta Pixel;\nTikTok Pixel"\n', [
    store({}),
    refused(/pixels/),
  ]),
]

export const valueCases: readonly FileCase[] = [...thousands, ...evidence, ...dates, ...domains]
