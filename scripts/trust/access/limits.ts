// The rate limits of register and login: exact under concurrency, and separate per address.
import { complaint, expectSame, type Row } from '../row.ts';
import { PROXIED, postFrom } from './addresses.ts';

export const limits: Row = {
  name: 'limits',
  promise: 'rate limits are exact, and separate per address',
  test: (addresses) => `45 concurrent registers and 25 logins from each of ${addresses} addresses`,
  target: '15 and 15 rejected with 429 each',
  amounts: { least: 1, quick: 10, long: 100 },
  run: async (trial) => {
    const hub = await trial.start({ args: PROXIED });
    const complaints: string[] = [];
    for (let number = 0; number < trial.amount; number++) {
      const ask = (path: string, times: number) =>
        Promise.all(Array.from({ length: times }, () => postFrom(hub, `10.0.2.${number}`, path, {})));
      const [registers, tries] = await Promise.all([ask('/api/auth/register', 45), ask('/api/auth/login', 25)]);
      const refused = [...registers, ...tries].filter(({ status }) => status === 429);
      complaints.push(
        ...expectSame('registers rejected', registers.filter(({ status }) => status === 429).length, 15),
        ...expectSame('logins rejected', tries.filter(({ status }) => status === 429).length, 15),
        ...complaint(
          'no Retry-After',
          refused.filter(({ retryAfter }) => !(Number(retryAfter) >= 1)),
        ),
      );
    }
    return { figure: `${complaints.length} exceptions at ${trial.amount} addresses`, complaints };
  },
};
