import { spawnSync } from 'node:child_process'
import { test } from 'vitest'

const isInstalled = spawnSync('promtool', ['--version']).status === 0

/** A test that needs Prometheus's own tool. Without it the test is skipped, and the output says so. */
export function testWithPromtool(title: string, run: () => void | Promise<void>): void {
  if (!isInstalled) console.error(`promtool is not installed here (Debian package prometheus): not tested: ${title}`)
  test.skipIf(!isInstalled)(title, run)
}

/** What promtool finds wrong; empty if nothing. Files are named from `folder`. */
export function findFaults(
  args: readonly string[],
  { input = '', folder }: { input?: string; folder?: string },
): string {
  const { status, stdout, stderr, error } = spawnSync('promtool', args, { input, cwd: folder, encoding: 'utf8' })
  if (error) throw error
  // "check metrics" writes nothing when all is well; the others write what they did.
  if (status === 0 && !/\b(warning|lint|failed)\b/i.test(stderr)) return ''
  return `${stdout}${stderr}` || `promtool ended with ${status}`
}
