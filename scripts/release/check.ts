// to come
export async function checkRelease(): Promise<boolean> { return true; }
