import { accessSync, constants } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

// The shell without a window first: it takes less of the processors.
const wellKnownPaths = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The path of Chromium on this machine; CHROMIUM_PATH overrides it. */
export function findChromium(): string | undefined {
  return process.env.CHROMIUM_PATH || findProgram(wellKnownPaths)
}

/** The first of these paths that can be run. */
export function findProgram(paths: readonly string[]): string | undefined {
  return paths.find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Starts Chromium headless; root has to disable Chromium's sandbox. */
export function startChromium(executablePath: string): Promise<Browser> {
  const isRoot = process.getuid?.() === 0
  return chromium.launch({ executablePath, headless: true, chromiumSandbox: !isRoot })
}
