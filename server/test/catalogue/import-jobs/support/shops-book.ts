import { bookCell, buildBook, buildZip, readZip, type TestSheet } from '@storedex/testkit/workbooks'

const heading = ['Shop no', 'Domain', 'Shop name', 'Country', 'Lead fit score', 'Active ads', 'Created']

/** Four shops as an agency keeps them, one of them in an unknown country. */
export function shopsSheet(): TestSheet {
  const shop = (number: number, host: string, country: string, share: number, ads: number | string, day: string) => [
    bookCell.number(number, '00000'),
    host,
    `Shop ${number}`,
    country,
    bookCell.number(share, '0.0%'),
    ads,
    bookCell.date(day),
  ]
  return {
    name: 'Shops',
    rows: [
      heading,
      shop(42, 'oak-lamps.example', 'Germany', 0.715, 1_204, '2019-03-31'),
      shop(43, 'elm-rugs.example', 'Atlantis', 0.5, 7, '2020-02-29'),
      { cells: shop(44, 'fir-mugs.example', 'AT', 1, '12', '2021-12-01'), isHidden: true },
    ],
    hiddenColumns: [7],
  }
}

/** A workbook with two sheets to choose from, a hidden one and an empty one. */
export function shopsBook(): Buffer {
  return buildBook({
    sheets: [
      shopsSheet(),
      { name: 'Leads 2026', rows: [['Domain'], ['ash-toys.example']] },
      { name: 'Archive', state: 'hidden', rows: [['Domain'], ['old-hats.example']] },
      { name: 'Empty', rows: [] },
    ],
  })
}

/** A workbook with another text in place of one, and otherwise as it was. */
export function mendBook(book: Buffer, text: string, better: string): Buffer {
  const parts = [...readZip(book)].map(([name, content]) => ({
    ...{ name, content: content.toString().replaceAll(`>${text}<`, `>${better}<`) },
  }))
  return buildZip(parts)
}
