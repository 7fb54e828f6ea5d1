// Loaded into the measured service (NODE_OPTIONS=--import): finds the longest blocks of its event loop. On SIGUSR2 it writes
// what it found to BENCH_LOOP_FILE, and begins anew.
import { openSync, readSync, renameSync, writeFileSync } from 'node:fs'
import { PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const file = process.env.BENCH_LOOP_FILE

if (isMainThread && file) {
  // Its first number is the processor time of the thread in nanoseconds.
  const schedulerStatistics = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const buffer = Buffer.alloc(96)
  const readProcessorMs = () => {
    const length = readSync(schedulerStatistics, buffer, 0, buffer.length, 0)
    return Number(buffer.toString('latin1', 0, length).split(' ')[0]) / 1e6
  }
  const intervalMs = 1
  const noneFound = () => ({ longestMs: 0, longestOwnMs: 0, ownOver5Ms: 0, longestGcMs: 0, ticks: 0 })
  let found = noneFound()
  let at = performance.now()
  let processorMs = readProcessorMs()
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) found.longestGcMs = Math.max(found.longestGcMs, duration)
  }).observe({ entryTypes: ['gc'] })
  setInterval(() => {
    const now = performance.now()
    const processorNow = readProcessorMs()
    const blockedMs = now - at - intervalMs
    const ownMs = Math.min(blockedMs, processorNow - processorMs)
    found.ticks++
    found.longestMs = Math.max(found.longestMs, blockedMs)
    found.longestOwnMs = Math.max(found.longestOwnMs, ownMs)
    if (ownMs > 5) found.ownOver5Ms++
    at = now
    processorMs = processorNow
  }, intervalMs).unref()
  process.on('SIGUSR2', () => {
    // Whoever reads the file finds all of it.
    writeFileSync(`${file}.part`, JSON.stringify(found))
    renameSync(`${file}.part`, file)
    found = noneFound()
    at = performance.now()
    processorMs = readProcessorMs()
  })
}
