import { formatNumber } from './format.ts'

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const

/** `3.4 MB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(byteUnits.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3))
  const unit = byteUnits[power]!
  // The short form of bytes has no plural.
  const unitDisplay = power === 0 ? 'long' : 'short'
  return formatNumber(bytes / 1_000 ** power, { style: 'unit', unit, unitDisplay, maximumFractionDigits: 1 })
}
