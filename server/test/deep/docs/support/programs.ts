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
 * Makes one program of the `ts` blocks of a document, in their order; null without any. Each block continues the one above it, in a
 * scope of its own, so that it can use its names and declare them again.
 */
export function composeProgram(blocks: readonly Block[]): Program | null {
  const parts = blocks.filter(({ language }) => language === 'ts')
  if (parts.length === 0) return null
  const names = new Map<string, Set<string>>()
  const bodies = parts.map(({ text }) =>
    text.replace(/^import \{([^}]*)\} from '([^']+)'\n/gm, (_, list: string, module: string) => {
      const known = names.get(module) ?? new Set()
      names.set(module, known)
      for (const name of list.split(',')) if (name.trim()) known.add(name.trim())
      return ''
    }),
  )
  const imports = [...names].map(([module, known]) => `import { ${[...known].join(', ')} } from '${module}'\n`)
  const text = `${imports.join('')}${bodies.join('{\n')}${'}\n'.repeat(bodies.length - 1)}`
  const file = 'example.mts'
  return { file, text, commands: () => `node '${compiler}' ${options} ${file} && node ${file.replace('.mts', '.mjs')}` }
}

/** The same of the `python` blocks, as one file. */
export function composePython(blocks: readonly Block[]): Program | null {
  const parts = blocks.filter(({ language }) => language === 'python')
  if (parts.length === 0) return null
  return { file: 'example.py', text: parts.map(({ text }) => text).join('\n'), commands: (file) => `python3 ${file}` }
}

const compiler = join(projectDir, 'node_modules/typescript/bin/tsc')
const nodeTypes = `--types node --typeRoots '${join(projectDir, 'node_modules/@types')}'`
const options = `--ignoreConfig --strict --target es2023 --module nodenext --skipLibCheck --noErrorTruncation ${nodeTypes}`
