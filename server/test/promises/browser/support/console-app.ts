import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findProjectDir } from '../../../../src/operations/config.ts'
import { startTestApp, type TestApp, type TestAppOptions } from '../../../support/app.ts'

/**
 * Starts the app with the built console, until the end of the file's tests. The console is built when its sources have changed,
 * once for all files. The app searches in memory: only there the values of filters are counted. The clock shows the real time of
 * the start, because a browser's does.
 */
export async function startConsoleApp(options: Partial<TestAppOptions> = {}): Promise<TestApp> {
  const environment = { CONSOLE_DIR: await buildConsole(), ...options.environment }
  return startTestApp({ now: new Date().toISOString(), engine: 'memory', ...options, environment })
}

async function buildConsole(): Promise<string> {
  const projectDir = findProjectDir(import.meta.dirname)
  const launcher: { prepareConsole(projectDir: string): Promise<string> } = await import(
    pathToFileURL(join(projectDir, 'bin/launcher/console.mjs')).href
  )
  return launcher.prepareConsole(projectDir)
}
