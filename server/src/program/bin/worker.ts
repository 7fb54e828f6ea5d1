import { findProjectDir, readConfig } from '../../operations/config.ts'

// Before the rest is loaded: signals of the terminal, which reach the whole group, are for the supervisor.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {})
process.setSourceMapsEnabled(true)
const { runWorker } = await import('../workers/worker.ts')
await runWorker(() => readConfig(process.env, findProjectDir(import.meta.dirname)))
