import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { project } from './tree.ts'

/** The anchors of a Markdown page: those of its headings, and those that it sets. */
function anchorsOf(text: string): Set<string> {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  )
  return new Set([...headings, ...[...text.matchAll(/<a id="([\w-]+)">/g)].map(([, id]) => id!)])
}

/** Whether `page.md#anchor`, from the folder `base` of the checkout, is a file, and a page with that anchor. */
export function leadsSomewhere(target: string, base = ''): boolean {
  const [path = '', anchor] = target.split('#')
  const file = join(project, base, path)
  return existsSync(file) && (anchor === undefined || anchorsOf(readFileSync(file, 'utf8')).has(anchor))
}

/** The links of a page within the checkout that lead nowhere. */
export function brokenLinksOf(page: string): string[] {
  const targets = [...readFileSync(join(project, page), 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(
    ([, target]) => target!,
  )
  return targets.filter((target) => {
    if (/^https?:/.test(target)) return false
    return !leadsSomewhere(target.startsWith('#') ? `${page}${target}` : join(dirname(page), target))
  })
}
