import { findProjectDir, readConfig } from '../config.ts'
import { runWorker } from './workers/worker.ts'

process.setSourceMapsEnabled(true)
await runWorker(() => readConfig(process.env, findProjectDir(import.meta.dirname)))
