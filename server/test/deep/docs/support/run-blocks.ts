import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Block, placeOf, readBlocks } from './blocks.ts'
import { drawings, findEntry, notRun, special } from './exceptions.ts'
import { writeReadersFiles } from './files.ts'
import { type ExampleChecker, parseExample } from './json-blocks.ts'
import { problemsOfToolServers, toolServersOf } from './mcp-blocks.ts'
import { differenceFromOutput, shapeOf } from './output.ts'
import { composeProgram, composePython, type Program } from './programs.ts'
import { findProgram, type Service } from './service.ts'
import { examplesOf, openWorkplace, projectDir, type Workplace } from './workplace.ts'

export interface Checks {
  root: string
  service: Service
  examples: ExampleChecker
  /** What a start prints on a terminal. */
  greeting: string
  /** Runs a statement and undoes it. */
  trySql(statement: string): Promise<void>
}

/** Runs the blocks of a document in order, as a reader would, and returns what is wrong with them. */
export async function runDocument(checks: Checks, file: string): Promise<string[]> {
  const workplace = openWorkplace(checks.root, checks.service)
  writeReadersFiles(file, workplace.folder)
  if (file === 'client/README.md') await workplace.shell.run(installClient)
  const reader = new Reader(checks, workplace)
  const blocks = readBlocks(projectDir, file)
  // They run at the last of their blocks.
  const programs = new Map([
    [blocks.findLast(({ language }) => language === 'ts'), composeProgram(blocks)],
    [blocks.findLast(({ language }) => language === 'python'), composePython(blocks)],
  ])
  const problems: string[] = []
  for (const block of blocks) {
    const found = findEntry(notRun, block) ? [] : await reader.read(block, programs.get(block) ?? null)
    problems.push(...found.map((problem) => `${placeOf(block)} (${block.language}): ${problem}`))
  }
  await workplace.shell.close()
  return problems
}

/** What the README of the client assumes: a project in which it is installed. */
const installClient = `
node client/build.mjs
mkdir -p project/node_modules/@storedex
ln -s "$PWD/client/dist" project/node_modules/@storedex/client
cd project
`

class Reader {
  readonly #checks: Checks
  readonly #workplace: Workplace
  #lastOutput: string
  #contacts = 0

  constructor(checks: Checks, workplace: Workplace) {
    this.#checks = checks
    this.#workplace = workplace
    this.#lastOutput = checks.greeting
  }

  async read(block: Block, program: Program | null): Promise<string[]> {
    const exception = findEntry(special, block)
    if (exception?.takenBy) return this.#runTaking(block, exception.takenBy)
    if (exception?.shapeOf) return this.#compareShape(block, exception.shapeOf)
    switch (block.language) {
      case 'sh':
        if (exception?.needs && !findProgram(exception.needs)) return []
        return this.#run(this.#withRealExamples(block.text), exception)
      case 'js':
        return this.#run(this.#keep(`example-${block.line}.mjs`, block.text, (file) => `node ${file}`))
      case 'python':
        if (!findProgram('python3')) return []
        return program ? this.#run(this.#keep(program.file, program.text, program.commands)) : []
      case 'ts':
        return program ? this.#run(this.#keep(program.file, program.text, program.commands)) : []
      case 'json':
        return this.#checkJson(parseExample(this.#withRealExamples(block.text)))
      case 'http':
        return this.#compareHeaders(block)
      case 'sql':
        return this.#checks.trySql(block.text).then(
          () => [],
          (error: Error) => [error.message],
        )
      case 'text':
        if (drawings.includes(block.file)) return []
        return differenceFromOutput(this.#withRealExamples(block.text), this.#lastOutput)
      default:
        return ['no test knows how to check this language; see server/test/deep/docs/support']
    }
  }

  #checkJson(example: unknown): string[] | Promise<string[]> {
    const servers = toolServersOf(example)
    return servers ? problemsOfToolServers(servers) : this.#checks.examples.problems(example)
  }

  #withRealExamples(text: string): string {
    const { contacts } = this.#checks.service
    // Another person for each block: one is revealed, another erased.
    const contact = contacts[this.#contacts++ % contacts.length]!
    return examplesOf(this.#checks.service, contact, this.#workplace.folder).reduce(
      (result, { written, real }) => result.replaceAll(written, real),
      text,
    )
  }

  /** A script that writes a file into the current folder and runs commands with it. */
  #keep(name: string, text: string, commands: (file: string) => string): string {
    const kept = join(this.#workplace.folder, `.${name}`)
    writeFileSync(kept, this.#withRealExamples(text))
    return `cp '${kept}' ${name}\n${commands(name)}\n`
  }

  async #run(script: string, { exitCode = 0, dataDir = '' } = {}): Promise<string[]> {
    const inPlace = dataDir ? `kept="$DATA_DIR"; DATA_DIR="${dataDir}"\n${script}\nDATA_DIR="$kept"\n` : script
    const { output, failures } = await this.#workplace.shell.run(inPlace)
    this.#lastOutput = output
    if (exitCode > 0) return failures.some((each) => each.startsWith(`exit code ${exitCode}:`)) ? [] : ['did not fail']
    return failures.map((failure) => `${failure}\n${output.slice(-2_000)}`)
  }

  /** A record or a table, given to the command that reads such. */
  async #runTaking(block: Block, command: string): Promise<string[]> {
    const isCsv = block.language === 'csv'
    const text = isCsv ? block.text : JSON.stringify(JSON.parse(block.text))
    const name = `example-${block.line}.${isCsv ? 'csv' : 'ndjson'}`
    const problems = await this.#run(this.#keep(name, text, (file) => `${command} ${file} --dry-run --json`))
    if (problems.length > 0) return problems
    const { rejected } = JSON.parse(this.#lastOutput.trim().split('\n').at(-1)!)
    return rejected === 0 ? [] : [`${rejected} records would be rejected: ${this.#lastOutput}`]
  }

  async #compareShape(block: Block, command: string): Promise<string[]> {
    const problems = await this.#run(`${command}\n`)
    if (problems.length > 0) return problems
    const [documented, real] = [block.text, this.#lastOutput.trim().split('\n').at(-1)!].map((json) =>
      JSON.stringify(shapeOf(JSON.parse(json))),
    )
    return documented === real ? [] : [`has the shape ${documented}, but the command prints ${real}`]
  }

  async #compareHeaders({ text }: Block): Promise<string[]> {
    const { greeting, liveKey } = this.#checks.service
    const reply = await fetch(`${greeting.api}/stores/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${liveKey}`, 'content-type': 'application/json' },
      body: '{"filters":{"countries":["DE"]},"limit":1}',
    })
    if (!reply.ok) return [await reply.text()]
    const names = [...text.matchAll(/^([\w-]+):/gm)].map(([, name]) => name!)
    return names.filter((name) => !reply.headers.has(name)).map((name) => `a reply has no header ${name}`)
  }
}
