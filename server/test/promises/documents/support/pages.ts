import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { project } from '../../architecture/support/tree.ts'

const read = (file: string) => readFileSync(join(project, file), 'utf8')
const withoutCode = (text: string) => text.replace(/^```.*?^```/gms, '')

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(page: string): Set<string> {
  const seen = new Map<string, number>()
  return new Set(
    [...withoutCode(read(page)).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => {
      const id = heading!
        .toLowerCase()
        .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
        .replace(/[^\p{L}\p{N}_\s-]/gu, '')
        .replaceAll(' ', '-')
      const count = seen.get(id) ?? 0
      seen.set(id, count + 1)
      return count === 0 ? id : `${id}-${count}`
    }),
  )
}

/** True if `page.md#anchor`, from the checkout, is a file, and a page with that heading. */
export function leadsSomewhere(target: string): boolean {
  const [path = '', anchor] = target.split('#')
  return (
    existsSync(join(project, path)) && (anchor === undefined || !path.endsWith('.md') || anchorsOf(path).has(anchor))
  )
}

/** The links and pictures of a page within the checkout that lead nowhere. */
export function brokenLinksOf(page: string): string[] {
  const targets = [...withoutCode(read(page)).matchAll(/\]\(([^)\s]+)\)|src="([^"]+)"/g)].map(
    ([, link, source]) => link ?? source!,
  )
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false
    return !leadsSomewhere(target.startsWith('#') ? `${page}${target}` : join(dirname(page), target))
  })
}
