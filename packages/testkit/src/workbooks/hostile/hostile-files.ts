import { hostileArchives } from './archives.ts'
import { hugeCell, sharedStringsBomb, sheetBomb, stylesBomb, zerosBomb } from './bombs.ts'
import { hostileContents } from './contents.ts'
import { otherFormats } from './other-formats.ts'

/** All files that a reader must survive, by what each is. Bombs take seconds and a hundred megabytes to build. */
export const hostileFiles = {
  bombs: {
    'a sheet of ten gigabytes': () => sheetBomb('true'),
    'a sheet of ten gigabytes that claims to be small': () => sheetBomb('false'),
    'ten gigabytes of zeros': zerosBomb,
    'shared strings of ten gigabytes': () => sharedStringsBomb('true'),
    'shared strings of ten gigabytes that claim to be small': () => sharedStringsBomb('false'),
    'styles of a gigabyte': stylesBomb,
    'a shared string of a hundred megabytes': () => hugeCell('shared'),
    'a cell of a hundred megabytes': () => hugeCell('inline'),
  },
  archives: hostileArchives,
  contents: hostileContents,
  otherFormats,
} satisfies Record<string, Record<string, () => Buffer>>
