import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/**
 * What a run reports of a file; times in ms.
 * @typedef {{ path: string, project: string, ms: number, testsMs: number, cpuMs: number | null, passed: number,
 *   failed: number, skipped: number }} FileReport
 */

const header = 'file,tier,tests,seconds,in tests,set-up,processor,waiting'

/**
 * Adds the files of a run to the table, in place of their earlier rows; files that are gone lose theirs. The table tells what
 * each file takes, in seconds: all of it, in its tests and their hooks, before them, as processor time of its worker, and
 * waiting for other processes.
 * @param {string} tableFile
 * @param {FileReport[]} files
 * @param {(path: string) => boolean} isThere
 */
export function writeTimes(tableFile, files, isThere = () => true) {
  const measured = new Set(files.map(({ path }) => path))
  const kept = readRows(tableFile).filter(({ path }) => !measured.has(path) && isThere(path))
  const rows = [...files.map(renderRow), ...kept]
  rows.sort((a, b) => b.seconds - a.seconds || a.path.localeCompare(b.path))
  writeFileSync(tableFile, `${[header, ...rows.map(({ line }) => line)].join('\n')}\n`)
}

/** @param {FileReport} report */
function renderRow({ path, project, ms, testsMs, cpuMs, passed, failed, skipped }) {
  const times = [ms, testsMs, ms - testsMs, cpuMs, cpuMs === null ? null : Math.max(0, ms - cpuMs)].map(toSeconds)
  return { path, seconds: ms / 1_000, line: [path, project, passed + failed + skipped, ...times].join(',') }
}

/**
 * Seconds by file, of the table; empty without one.
 * @param {string} tableFile
 */
export function readTimes(tableFile) {
  return new Map(readRows(tableFile).map(({ path, seconds }) => [path, seconds]))
}

/** @param {string} tableFile */
function readRows(tableFile) {
  if (!existsSync(tableFile)) return []
  const lines = readFileSync(tableFile, 'utf8').split('\n').slice(1).filter(Boolean)
  return lines.map((line) => {
    const [path = '', , , seconds] = line.split(',')
    return { path, seconds: Number(seconds), line }
  })
}

/** @param {number | null} ms */
function toSeconds(ms) {
  return ms === null ? '' : (ms / 1_000).toFixed(1)
}
