import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

export interface Block {
  /** The document, from the checkout. */
  file: string
  /** Line of the first line of code. */
  line: number
  language: string
  text: string
}

/** The documents whose code blocks run. Decisions describe the day on which they were made, so theirs do not. */
export function listDocuments(projectDir: string): string[] {
  const single = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'client/README.md', 'catalogue/sandbox/README.md']
  const docs = readdirSync(join(projectDir, 'docs'), { recursive: true, withFileTypes: true })
    .map((entry) => relative(projectDir, join(entry.parentPath, entry.name)))
    .filter((file) => file.endsWith('.md') && !file.startsWith('docs/decisions/'))
  return [...single.filter((file) => existsSync(join(projectDir, file))), ...docs.sort()]
}

/** The fenced code blocks of a document, in order. */
export function readBlocks(projectDir: string, file: string): Block[] {
  const blocks: Block[] = []
  let open: { fence: string; block: Block } | null = null
  const lines = readFileSync(join(projectDir, file), 'utf8').split('\n')
  for (const [index, line] of lines.entries()) {
    const [, fence, info = ''] = /^\s*(`{3,}|~{3,})(.*)$/.exec(line) ?? []
    if (open && fence?.startsWith(open.fence) && info.trim() === '') {
      blocks.push(open.block)
      open = null
    } else if (open) open.block.text += `${line}\n`
    else if (fence) open = { fence, block: { file, line: index + 2, language: info.trim().split(' ')[0]!, text: '' } }
  }
  if (open) throw new Error(`${file}:${open.block.line}: the block is not closed.`)
  return blocks
}

export function placeOf({ file, line }: Block): string {
  return `${file}:${line}`
}
