// The files of field_animation.hpp: animated PNG (the chunks acTL, fcTL and fdAT of the PNG specification,
// third edition) and the page.
#include "samples/field_animation.hpp"

#include <zlib.h>

#include <fstream>
#include <sstream>

namespace samples {
namespace {

using bytes = std::vector<std::uint8_t>;

void put_number(bytes& to, std::uint32_t value, int size = 4) {
  for (int k = size - 1; k >= 0; --k) to.push_back(std::uint8_t(value >> (8 * k)));
}

void put_chunk(bytes& file, const char* type, const bytes& data) {
  put_number(file, std::uint32_t(data.size()));
  const std::size_t begin = file.size();
  file.insert(file.end(), type, type + 4);
  file.insert(file.end(), data.begin(), data.end());
  put_number(file, std::uint32_t(crc32(0, file.data() + begin, uInt(file.size() - begin))));
}

/// The rows, each after the byte of its filter (1: differences from the pixel before), compressed.
bytes compressed(const picture& p) {
  bytes rows;
  rows.reserve(p.height * (3 * p.width + 1));
  for (std::size_t y = 0; y < p.height; ++y) {
    const std::uint8_t* const row = p.rgb.data() + 3 * p.width * y;
    rows.push_back(1);
    for (std::size_t k = 0; k < 3 * p.width; ++k)
      rows.push_back(std::uint8_t(row[k] - (k < 3 ? 0 : row[k - 3])));
  }
  uLongf size = compressBound(uLong(rows.size()));
  bytes out(size);
  if (compress2(out.data(), &size, rows.data(), uLong(rows.size()), 9) != Z_OK)
    throw std::runtime_error("zlib cannot compress a frame");
  out.resize(size);
  return out;
}

bytes png_begin(const picture& p) {
  bytes file = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'}, head;
  put_number(head, std::uint32_t(p.width));
  put_number(head, std::uint32_t(p.height));
  head.insert(head.end(), {8, 2, 0, 0, 0}); // 8 bits, RGB
  put_chunk(file, "IHDR", head);
  return file;
}

std::string base64(const bytes& data) {
  static constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < data.size(); i += 3) {
    const std::size_t left = data.size() - i;
    const std::uint32_t word = std::uint32_t(data[i]) << 16 |
                               (left > 1 ? std::uint32_t(data[i + 1]) << 8 : 0) |
                               (left > 2 ? data[i + 2] : 0u);
    for (int k = 0; k < 4; ++k) text += std::size_t(k) <= left ? letters[word >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '<') out += "\\u003c"; // </script> would end the script
    else out += static_cast<unsigned char>(c) < 32 ? ' ' : c;
  }
  return out + '"';
}

void write_file(const std::string& path, const char* data, std::size_t size) {
  std::ofstream out(path, std::ios::binary);
  out.write(data, std::streamsize(size));
  out.close();
  if (!out) throw std::runtime_error("cannot write " + path);
}

constexpr const char* page_begin = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Quantum field</title>
<style>body{font:16px sans-serif;margin:2em}img{width:min(80vmin,512px);image-rendering:auto;display:block;margin:1em 0}</style></head>
<body><h1>Quantum field</h1>
<button id="play">pause</button>
<label>frequency <select id="frequency"></select></label>
<label>device <select id="device"></select></label>
<img id="picture" alt="the field at one time"><p id="caption"></p>
<script>
)";
constexpr const char* page_end = R"(
const get = id => document.getElementById(id);
for (const name of ["frequency", "device"])
  for (const value of new Set(recordings.map(r => r[name]))) get(name).add(new Option(value, value));
let at = 0, plays = true;
function show() {
  const seen = recordings.find(r => r.frequency === get("frequency").value && r.device === get("device").value);
  if (!seen) { get("caption").textContent = "this device did not compute this frequency"; return; }
  const frame = seen.frames[at % seen.frames.length];
  get("picture").src = "data:image/png;base64," + frame[0];
  get("caption").textContent = "t = " + frame[1] + " s, " + frame[2] + " ms on " + seen.device + ", coherence " + frame[3];
}
get("play").onclick = () => { plays = !plays; get("play").textContent = plays ? "pause" : "play"; };
get("frequency").onchange = get("device").onchange = show;
setInterval(() => { if (plays) { ++at; show(); } }, delay);
show();
</script></body></html>
)";

} // namespace

void write_animated_png(const std::vector<field_frame>& frames, int milliseconds, const std::string& path) {
  const picture& first = frames.at(0).image;
  bytes file = png_begin(first), control;
  put_number(control, std::uint32_t(frames.size()));
  put_number(control, 0); // for ever
  put_chunk(file, "acTL", control);
  std::uint32_t sequence = 0;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    bytes frame;
    put_number(frame, sequence++);
    put_number(frame, std::uint32_t(first.width));
    put_number(frame, std::uint32_t(first.height));
    put_number(frame, 0);
    put_number(frame, 0);
    put_number(frame, std::uint32_t(milliseconds), 2);
    put_number(frame, 1000, 2);
    frame.insert(frame.end(), {0, 0}); // nothing is disposed or blended
    put_chunk(file, "fcTL", frame);
    bytes data;
    if (k > 0) put_number(data, sequence++);
    const bytes rows = compressed(frames[k].image);
    data.insert(data.end(), rows.begin(), rows.end());
    put_chunk(file, k == 0 ? "IDAT" : "fdAT", data);
  }
  put_chunk(file, "IEND", {});
  write_file(path, reinterpret_cast<const char*>(file.data()), file.size());
}

void write_field_page(const std::vector<field_recording>& recordings, int milliseconds,
                      const std::string& path) {
  std::ostringstream page;
  page << page_begin << "const delay = " << milliseconds << ", recordings = [\n";
  for (const field_recording& r : recordings) {
    page << "{device: " << quoted(r.device) << ", frequency: " << quoted(r.frequency) << ", frames: [\n";
    for (const field_frame& f : r.frames) {
      bytes file = png_begin(f.image);
      put_chunk(file, "IDAT", compressed(f.image));
      put_chunk(file, "IEND", {});
      page.precision(3);
      page << "[\"" << base64(file) << "\", " << f.time << ", " << f.milliseconds << ", " << f.coherence
           << "],\n";
    }
    page << "]},\n";
  }
  page << "];" << page_end;
  const std::string text = page.str();
  write_file(path, text.data(), text.size());
}

} // namespace samples
