// Decoding: base64, inflate, and columns of whole numbers as the Python module columns.py packs them.

async function inflated(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Of a column all lowest bytes come first, then the next ones; the lowest bit is the sign.
function column(bytes, count, size, differences, wide) {
  const values = wide ? new Float64Array(count) : new Int32Array(count);
  let sum = 0;
  for (let at = 0; at < count; at++) {
    let folded = 0;
    let weight = 1;
    for (let plane = 0; plane < size; plane++) {
      folded += bytes[plane * count + at] * weight;
      weight *= 256;
    }
    const value = folded % 2 ? -(folded + 1) / 2 : folded / 2;
    sum = differences ? sum + value : value;
    values[at] = sum;
  }
  return values;
}

async function decoded(text) {
  const whole = await inflated(text);
  let end = 4 + new DataView(whole.buffer).getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(whole.subarray(4, end)));
  const columns = {};
  for (const [name, count, size, differences, wide] of head.columns) {
    columns[name] = column(whole.subarray(end), count, size, differences, wide);
    end += count * size;
  }
  return { tables: head.tables, columns };
}

// Where the rows of each of many begin that have so many rows: one number more than there are many.
function begins(...counts) {
  const found = new Int32Array(counts[0].length + 1);
  for (let at = 0; at < counts[0].length; at++) {
    found[at + 1] = found[at];
    for (const count of counts) found[at + 1] += count[at];
  }
  return found;
}
