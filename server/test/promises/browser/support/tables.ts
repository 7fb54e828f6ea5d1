/** The tables of a page, and its width with what cannot be seen. */
export interface MeasuredTables {
  tables: {
    label: string
    /** How much of its columns is out of sight, in px. */
    cut: number
    hasSign: boolean
  }[]
  pageWidth: number
}

/** 1,280 px is the commonest laptop, this the same beside a scroll bar: the default columns fit from here on. */
const fitsFrom = 1_265

/** Runs in the page, and returns `MeasuredTables`. */
export const measureTables = `(() => {
  const tables = [...document.querySelectorAll('table')].map((table) => {
    const region = table.closest('section')
    const sign = region.parentElement.querySelector('[data-cut-edge]')
    const isSeen = sign !== null && sign.getBoundingClientRect().width > 0 && getComputedStyle(sign).backgroundImage !== 'none'
    return { label: table.getAttribute('aria-label'), cut: region.scrollWidth - region.clientWidth, hasSign: isSeen }
  })
  return { tables, pageWidth: document.documentElement.scrollWidth }
})()`

/** What is wrong with tables in a window of this width; `wide` ones show as many columns as a file has. */
export function findTableFaults(
  { tables, pageWidth }: MeasuredTables,
  width: number,
  wide: readonly string[] = [],
): string[] {
  const faults = tables.flatMap(({ label, cut, hasSign }) => [
    ...(cut > 0 && !hasSign ? [`${label} at ${width}: ${cut} px are cut without a sign`] : []),
    ...(cut <= 0 && hasSign ? [`${label} at ${width}: the sign of a cut, and nothing is`] : []),
    ...(cut > 0 && width >= fitsFrom && !wide.includes(label) ? [`${label} at ${width}: ${cut} px are cut`] : []),
  ])
  return pageWidth > width ? [...faults, `the page is ${pageWidth} px wide at ${width}`] : faults
}
