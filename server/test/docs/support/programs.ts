import { join } from 'node:path'
import type { Block } from './blocks.ts'
import { projectDir } from './workplace.ts'

export interface Program {
  file: string
  text: string
  /** Compiles the program strictly and runs it. */
  commands: (file: string) => string
}

/**
 * Composes the programs of a document's `ts` blocks. A block that begins with an import begins a program; one without
 * continues the one above it, in a scope of its own, so that it can use its names and declare them again. A program
 * belongs to its last block.
 */
export function composePrograms(blocks: readonly Block[]): Map<Block, Program> {
  const groups: Block[][] = []
  for (const block of blocks.filter(({ language }) => language === 'ts'))
    if (groups.length === 0 || /^\s*(\/\/.*\n\s*)*import\b/.test(block.text)) groups.push([block])
    else groups.at(-1)!.push(block)
  return new Map(groups.map((group) => [group.at(-1)!, compose(group)]))
}

const compiler = join(projectDir, 'node_modules/typescript/bin/tsc')
const nodeTypes = `--types node --typeRoots '${join(projectDir, 'node_modules/@types')}'`
const options = `--strict --target es2023 --module nodenext --skipLibCheck --noErrorTruncation ${nodeTypes}`

function compose(group: readonly Block[]): Program {
  const imports: string[] = []
  const withoutImports = (text: string) =>
    text.replace(/^import\b[^;\n]*(\{[^}]*\}[^\n]*)?$/gm, (line) => {
      imports.push(line)
      return ''
    })
  const parts = group.map(({ text }) => withoutImports(text))
  const text = `${[...new Set(imports)].join('\n')}\n${parts.join('{\n')}${'}\n'.repeat(parts.length - 1)}`
  const file = `example-${group[0]!.line}.mts`
  const built = file.replace('.mts', '.mjs')
  return { file, text, commands: (name) => `node '${compiler}' ${options} ${name} && node ${built}` }
}
