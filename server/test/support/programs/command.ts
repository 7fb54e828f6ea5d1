import { Cleanup } from '@storedex/testkit'
import { OperatorError } from '../../../src/foundation/kernel/errors.ts'
import { listenForTermination, rejectOnAbort } from '../../../src/program/serving/termination.ts'

const interruptedCode = 130
const usageCode = 2

interface Command<Options> {
  usage: string
  /** The options, or undefined for wrong usage. */
  readOptions(args: string[]): Options | undefined
  /** Resolves with the exit code. */
  run(options: Options, cleanup: Cleanup, termination: AbortSignal): Promise<number>
}

/** Runs a program to its end: reads the options, cleans up also after Ctrl-C, and exits. */
export async function runCommand<Options>({ usage, readOptions, run }: Command<Options>): Promise<never> {
  const termination = listenForTermination(printProgress)
  const cleanup = new Cleanup()
  const options = readOptions(process.argv.slice(2))
  let code = usageCode
  try {
    if (options) code = await rejectOnAbort(termination, run(options, cleanup, termination))
    else printProgress(usage)
  } catch (error) {
    code = termination.aborted ? interruptedCode : 1
    if (!termination.aborted)
      printProgress(error instanceof OperatorError ? error.message : String((error as Error).stack))
  }
  await cleanup.run()
  process.exit(code)
}

/** Standard output is for results alone. */
export function printProgress(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** A whole number from 1 to `most`, or undefined. */
export function parseCount(text: string, most = 999_999_999): number | undefined {
  return /^\d{1,9}$/.test(text) && +text >= 1 && +text <= most ? +text : undefined
}

/** A number from 0.01 to `most`, or undefined. */
export function parseDecimal(text: string, most: number): number | undefined {
  return /^\d{1,9}(\.\d{1,2})?$/.test(text) && +text > 0 && +text <= most ? +text : undefined
}
