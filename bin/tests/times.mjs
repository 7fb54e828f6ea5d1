import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const header = 'file,tier,tests,seconds,in tests,set-up,processor,waiting'

/**
 * The table of what each test file takes: all of it, in its tests and their hooks, before and between them, as processor time of
 * its worker, and waiting for other processes. Seconds.
 */
export function renderTimes(files) {
  const rows = [...files]
    .sort((a, b) => b.ms - a.ms || a.path.localeCompare(b.path))
    .map(({ path, project, ms, testsMs, cpuMs, passed, failed, skipped }) =>
      [
        path,
        project,
        passed + failed + skipped,
        ...[ms, testsMs, ms - testsMs, cpuMs, cpuMs === null ? null : Math.max(0, ms - cpuMs)].map(toSeconds),
      ].join(','),
    )
  return `${[header, ...rows].join('\n')}\n`
}

/** Adds the files of a run to the table, in place of their earlier rows; files that are gone lose theirs. */
export function writeTimes(tableFile, files, isThere = () => true) {
  const measured = new Set(files.map(({ path }) => path))
  const kept = readRows(tableFile).filter(([path]) => !measured.has(path) && isThere(path))
  const rows = [
    ...renderTimes(files)
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(',')),
    ...kept,
  ]
  rows.sort((a, b) => Number(b[3]) - Number(a[3]) || a[0].localeCompare(b[0]))
  writeFileSync(tableFile, `${[header, ...rows.map((row) => row.join(','))].join('\n')}\n`)
}

/** Seconds by file, of the table. */
export function readTimes(tableFile) {
  return new Map(readRows(tableFile).map(([path, , , seconds]) => [path, Number(seconds)]))
}

function readRows(tableFile) {
  if (!existsSync(tableFile)) return []
  return readFileSync(tableFile, 'utf8')
    .split('\n')
    .slice(1)
    .filter(Boolean)
    .map((line) => line.split(','))
}

function toSeconds(ms) {
  return ms === null ? '' : (ms / 1_000).toFixed(1)
}
