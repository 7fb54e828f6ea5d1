/** A stretch of time: `start` belongs to it, `end` does not. */
export interface Period {
  start: Date
  end: Date
}

/**
 * The monthly period that holds `now`, counted from `anchor` in UTC, its time of day included. Every boundary is
 * computed from the anchor itself: one on the 31st falls on the last day of a shorter month and is back on the 31st
 * in the next long one. Periods reach back before the anchor as well.
 */
export function monthlyPeriodAt(anchor: Date, now: Date): Period {
  const monthsApart = (now.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + now.getUTCMonth() - anchor.getUTCMonth()
  // The boundary within now's own month is either behind now, and opens the period, or still ahead, and ends it.
  const boundary = addMonths(anchor, monthsApart)
  return boundary.getTime() <= now.getTime()
    ? { start: boundary, end: addMonths(anchor, monthsApart + 1) }
    : { start: addMonths(anchor, monthsApart - 1), end: boundary }
}

/** The UTC day that holds `now`. */
export function utcDayAt(now: Date): Period {
  const start = new Date(now)
  start.setUTCHours(0, 0, 0, 0)
  const end = new Date(start)
  end.setUTCDate(end.getUTCDate() + 1)
  return { start, end }
}

function addMonths(anchor: Date, months: number): Date {
  const result = new Date(anchor)
  // The first of the month for now: changing the month of a 31st would run over into the next one.
  result.setUTCDate(1)
  result.setUTCMonth(result.getUTCMonth() + months)
  result.setUTCDate(Math.min(anchor.getUTCDate(), daysInMonth(result)))
  return result
}

function daysInMonth(firstOfMonth: Date): number {
  const last = new Date(firstOfMonth)
  last.setUTCMonth(last.getUTCMonth() + 1)
  last.setUTCDate(0)
  return last.getUTCDate()
}
