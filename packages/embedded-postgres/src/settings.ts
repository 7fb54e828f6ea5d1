import { availableMemory } from '../../../server/src/kernel/memory.ts'

const megabyte = 1024 * 1024

/**
 * How the embedded server is set up: fully durable, sized to the machine, reachable from this machine only, and silent
 * about the values it is given. Passed at every start, so that an update of Storedex brings its settings along.
 */
export function serverSettings(memoryBytes: number = availableMemory()): Record<string, string> {
  const memoryMb = Math.floor(memoryBytes / megabyte)
  const share = (part: number, leastMb: number, mostMb: number) =>
    `${Math.min(mostMb, Math.max(leastMb, Math.floor(memoryMb * part)))}MB`
  // On a small machine each megabyte of these is missed by the service: all of them together can be in use at once.
  const isSmall = memoryMb < 1024
  return {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    password_encryption: 'scram-sha-256',
    max_connections: '200',

    shared_buffers: isSmall ? share(0.125, 48, 128) : share(0.25, 256, 1024),
    effective_cache_size: share(0.5, 256, 65_536),
    maintenance_work_mem: share(0.05, isSmall ? 32 : 64, 512),
    work_mem: share(0.005, 4, 16),
    random_page_cost: '1.1',
    jit: 'off',

    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    // Room for a bulk import without a checkpoint every few seconds.
    max_wal_size: '4GB',
    wal_compression: 'on',
    checkpoint_completion_target: '0.9',

    timezone: 'UTC',
    log_timezone: 'UTC',
    logging_collector: 'on',
    log_directory: 'log',
    // A week of files, each overwritten when its day comes round.
    log_filename: 'postgresql-%a.log',
    log_rotation_age: '1d',
    log_rotation_size: '0',
    log_truncate_on_rotation: 'on',
    log_file_mode: '0600',
    // A failed statement is its sender's to report: its text, its parameters and the row it names may be a person's data.
    log_min_messages: 'log',
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    log_parameter_max_length: '0',
    log_parameter_max_length_on_error: '0',
  }
}
